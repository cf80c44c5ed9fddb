/* SPDX-License-Identifier: MIT */
#include "dwc2_state.h"

#include <string.h>

#include "mmio.h"

struct core core;

#define EVERY_FIFO 0x10u

/* ---- the receive FIFO ---- */

void dwc2_add_received(unsigned what, unsigned endpoint, const uint8_t *bytes, size_t length) {
    if (core.received_count == sizeof core.received / sizeof *core.received) {
        bus_wrong("the model's receive FIFO is too short");
    }
    struct received *entry = &core.received[core.received_count++];
    *entry = (struct received){.status = what << 17 | (uint32_t)length << 4 | endpoint,
                               .length = (unsigned)length};
    if (length != 0) {
        memcpy(entry->bytes, bytes, length);
    }
}

unsigned dwc2_words_received(void) {
    unsigned words = 0;
    for (unsigned i = 0; i < core.received_count; i++) {
        words += 1u + (core.received[i].length + 3u) / 4u;
    }
    return words;
}

static uint32_t pop_status(void) {
    if (core.received_count == 0) {
        bus_wrong("GRXSTSP is read while the FIFO is empty");
    }
    if (core.unread != 0) {
        bus_wrong("GRXSTSP is read while data of the entry before is in the FIFO");
    }
    core.popped = core.received[0];
    core.unread = core.popped.length;
    core.received_count--;
    memmove(core.received, core.received + 1, core.received_count * sizeof *core.received);
    return core.popped.status;
}

static uint32_t pop_word(void) {
    if (core.unread == 0) {
        bus_wrong("the receive FIFO is read beyond a packet");
    }
    uint32_t word = 0xa5a5a5a5u; /* what stands behind an odd end */
    const unsigned at = core.popped.length - core.unread;
    const unsigned count = core.unread < 4 ? core.unread : 4;
    memcpy(&word, core.popped.bytes + at, count);
    core.unread -= count;
    return word;
}

/* ---- interrupts ---- */

static uint32_t daint(void) {
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        bits |= (core.in[i].interrupt & core.diepmsk) != 0 ? 1u << i : 0u;
    }
    return bits;
}

static uint32_t gintsts(void) {
    return core.latched | (core.received_count != 0 ? 1u << 4 : 0) |
           (core.gotgint != 0 ? 1u << 2 : 0) | ((daint() & core.daintmsk) != 0 ? 1u << 18 : 0) |
           (core.mode_looks != 0 ? 1u : 0u);
}

void dwc2_raise(void) {
    while ((gintsts() & core.gintmsk) != 0 && (core.gahbcfg & 1) != 0 && core.interrupt != NULL &&
           !core.in_interrupt) {
        core.in_interrupt = true;
        core.interrupt();
        core.in_interrupt = false;
    }
}

/* ---- registers of endpoints ---- */

static unsigned packet_words(const struct in_endpoint *in) { return ((in->tsiz & 0x7f) + 3u) / 4u; }

static void disable_in(struct in_endpoint *in) {
    if ((in->ctl & CTL_EPENA) == 0 || (in->ctl & CTL_NAK) == 0) {
        bus_wrong("EPDIS of an IN endpoint that is not enabled, or without NAK");
    }
    in->ctl &= ~CTL_EPENA;
    in->interrupt |= 2;
}

static void check_active(unsigned number, uint32_t value, unsigned fifo) {
    const unsigned type = value >> 18 & 3;
    const unsigned bytes = value & 0x7ff;
    if (number != 0 && (value & CTL_USBAEP) != 0 &&
        (type < 2 || bytes == 0 || bytes > 64 || (value >> 22 & 15) != fifo)) {
        bus_wrong("an endpoint is opened with a wrong type, greatest packet or FIFO");
    }
}

static void put_in_ctl(unsigned number, uint32_t value) {
    struct in_endpoint *in = &core.in[number];
    const uint32_t before = in->ctl;
    check_active(number, value, number);
    in->ctl = (value & CTL_PLAIN) | (before & (CTL_NAK | CTL_EPENA));
    in->ctl |= number == 0 ? CTL_USBAEP | (before & CTL_STALL) : 0u;
    if ((value & CTL_SNAK) != 0) {
        in->ctl |= CTL_NAK;
        in->interrupt |= (before & CTL_NAK) == 0 ? 1u << 6 : 0u;
    }
    if ((value & CTL_CNAK) != 0) {
        in->ctl &= ~(uint32_t)CTL_NAK;
    }
    if ((value & CTL_SD0PID) != 0 && number != 0) {
        in->toggle = 0;
    }
    if ((value & CTL_EPDIS) != 0) {
        disable_in(in);
    } else if ((value & CTL_EPENA) != 0 && (before & CTL_EPENA) == 0) {
        if (in->words != 0) {
            bus_wrong("an IN endpoint is enabled with an old packet in its FIFO");
        }
        if ((in->tsiz >> 19 & 3) != 1 || (in->tsiz & 0x7f) > 64) {
            bus_wrong("an IN endpoint is enabled for something that is not one packet");
        }
        in->ctl |= CTL_EPENA;
        core.writing = packet_words(in) != 0 ? (int)number : -1;
    }
}

static void put_out_ctl(unsigned number, uint32_t value) {
    struct out_endpoint *out = &core.out[number];
    const uint32_t before = out->ctl;
    check_active(number, value, 0);
    if ((value & CTL_EPDIS) != 0) {
        bus_wrong("EPDIS of an OUT endpoint without the global NAK");
    }
    out->ctl = (value & CTL_PLAIN) | (before & (CTL_NAK | CTL_EPENA));
    out->ctl |= number == 0 ? CTL_USBAEP | (before & CTL_STALL) : 0u;
    if ((value & CTL_SNAK) != 0) {
        out->ctl |= CTL_NAK;
    }
    if ((value & CTL_CNAK) != 0) {
        out->ctl &= ~(uint32_t)CTL_NAK;
    }
    if ((value & CTL_SD0PID) != 0 && number != 0) {
        out->toggle = 0;
    }
    if ((value & CTL_EPENA) != 0) {
        if ((out->tsiz >> 19 & 1) != 1 || (out->tsiz & 0x7f) != 64) {
            bus_wrong("an OUT endpoint is enabled for something that is not one packet");
        }
        out->ctl |= CTL_EPENA;
    }
}

static unsigned endpoint_number(uint32_t offset) {
    const unsigned number = (offset - (offset < 0xb00 ? 0x900 : 0xb00)) / 0x20;
    if (number > 3) {
        bus_wrong("an endpoint that the core does not have");
    }
    return number;
}

static uint32_t get_endpoint(uint32_t offset) {
    const bool in = offset < 0xb00;
    const unsigned number = endpoint_number(offset);
    switch (offset & 0x1f) {
    case 0x00:
        return in ? core.in[number].ctl : core.out[number].ctl;
    case 0x08:
        return in ? core.in[number].interrupt : 0;
    default:
        bus_wrong("a register of an endpoint that the driver has no need for is read");
    }
}

static void put_endpoint(uint32_t offset, uint32_t value) {
    const bool in = offset < 0xb00;
    const unsigned number = endpoint_number(offset);
    switch (offset & 0x1f) {
    case 0x00:
        (in ? put_in_ctl : put_out_ctl)(number, value);
        return;
    case 0x08:
        core.in[number].interrupt &= ~value;
        return;
    case 0x10:
        if (in && (core.in[number].ctl & CTL_EPENA) != 0) {
            bus_wrong("DIEPTSIZ is written while the endpoint is enabled");
        }
        *(in ? &core.in[number].tsiz : &core.out[number].tsiz) = value;
        return;
    default:
        bus_wrong("a register of an endpoint that the driver has no need for is written");
    }
}

static void put_fifo(uint32_t offset, uint32_t value) {
    const unsigned number = (offset - 0x1000) / 0x1000;
    struct in_endpoint *in = &core.in[number < 4 ? number : 0];
    if (number > 3 || core.writing != (int)number) {
        bus_wrong("a word into a transmit FIFO that waits for none");
    }
    if (in->words == core.txf[number] >> 16) {
        bus_wrong("a transmit FIFO overflows");
    }
    in->word[in->words++] = value;
    core.writing = in->words < packet_words(in) ? (int)number : -1;
}

/* ---- the other registers ---- */

static void put_grstctl(uint32_t value) {
    const uint32_t number = value >> 6 & 0x1f;
    if ((value & 1) != 0) {
        const struct core before = core;
        core = (struct core){.kind = before.kind,
                             .interrupt = before.interrupt,
                             .cable = before.cable,
                             .gccfg = before.gccfg,
                             .gotgctl = before.gotgctl,
                             .dctl = 2,
                             .writing = -1,
                             .reset_looks = before.kind.slow + 1,
                             .mode_looks = before.mode_looks,
                             .accesses = before.accesses};
    }
    for (unsigned i = 0; i < 4 && (value & 1u << 5) != 0; i++) {
        if (number == i || number == EVERY_FIFO) {
            if ((core.in[i].ctl & CTL_EPENA) != 0) {
                bus_wrong("the FIFO of an enabled IN endpoint is flushed");
            }
            core.in[i].words = 0;
        }
    }
    if ((value & 1u << 4) != 0) {
        core.received_count = core.unread = 0;
    }
}

static uint32_t get_grstctl(void) {
    uint32_t value = 0;
    if (core.reset_looks != 0) {
        core.reset_looks -= core.kind.never_resets ? 0 : 1;
        value |= 1;
    }
    if (core.idle_looks != 0) {
        core.idle_looks -= core.kind.never_idle ? 0 : 1;
    } else {
        value |= 1u << 31;
    }
    return value;
}

static uint32_t get_gintsts(void) {
    const uint32_t value = gintsts();
    if (core.mode_looks != 0 && (core.gusbcfg & 1u << 30) != 0 && !core.kind.never_device) {
        core.mode_looks--;
    }
    return value;
}

static void put_dcfg(uint32_t value) {
    core.dcfg = value;
    if ((value >> 4 & 0x7f) == 0) {
        core.address = 0;
    }
}

static void check_fifos(void) {
    uint32_t end = core.grxfsiz;
    for (unsigned i = 0; i < 4; i++) {
        if ((core.txf[i] & 0xffff) < end || core.txf[i] >> 16 < 16) {
            bus_wrong("the FIFOs overlap, or one is shorter than 16 words");
        }
        end = (core.txf[i] & 0xffff) + (core.txf[i] >> 16);
    }
    if (end > CORE_WORDS) {
        bus_wrong("the FIFOs are longer than the core's memory");
    }
}

static void put_dctl(uint32_t value) {
    if ((core.dctl & 2) != 0 && (value & 2) == 0) {
        check_fifos();
        if ((core.dcfg & 3) != 3 || (core.gccfg & 1u << 16) == 0 ||
            (core.gusbcfg >> 10 & 0xf) < 6) {
            bus_wrong("attached without full speed, transceiver, or time to answer");
        }
    }
    core.dctl = value;
}

static void accessed(uintptr_t address, bool fifo) {
    core.accesses++;
    if (address < DWC2_BASE || address >= DWC2_BASE + 0x5000 || address % 4 != 0) {
        bus_wrong("an address outside of the core");
    }
    if (core.writing >= 0 && !fifo) {
        bus_wrong("a register is touched between two words of a packet");
    }
}

uint32_t mmio_get(uintptr_t address) {
    const uint32_t offset = (uint32_t)(address - DWC2_BASE);
    accessed(address, false);
    if (offset >= 0x1000) {
        return pop_word();
    }
    if (offset >= 0x900 && offset < 0xc00) {
        return get_endpoint(offset);
    }
    switch (offset) {
    case 0x010:
        return get_grstctl();
    case 0x014:
        return get_gintsts();
    case 0x020:
        return pop_status();
    default:
        return dwc2_register(offset);
    }
}

uint32_t dwc2_register(uint32_t offset) {
    switch (offset) {
    case 0x000:
        return core.gotgctl;
    case 0x004:
        return core.gotgint;
    case 0x008:
        return core.gahbcfg;
    case 0x00c:
        return core.gusbcfg;
    case 0x038:
        return core.gccfg;
    case 0x800:
        return core.dcfg;
    case 0x804:
        return core.dctl;
    case 0x808:
        return core.dsts;
    default:
        bus_wrong("a register that the driver has no need for is read");
    }
}

static void put_register(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x000:
        core.gotgctl = value;
        return;
    case 0x004:
        core.gotgint &= ~value;
        return;
    case 0x008:
        core.gahbcfg = value;
        return;
    case 0x00c:
        core.gusbcfg = value;
        return;
    case 0x010:
        put_grstctl(value);
        return;
    case 0x014:
        core.latched &= ~value;
        return;
    case 0x018:
        core.gintmsk = value;
        return;
    case 0x024:
        core.grxfsiz = value;
        return;
    case 0x028:
        core.txf[0] = value;
        return;
    case 0x038:
        core.gccfg = value;
        return;
    case 0x104:
    case 0x108:
    case 0x10c:
        core.txf[(offset - 0x100) / 4] = value;
        return;
    case 0x800:
        put_dcfg(value);
        return;
    case 0x804:
        put_dctl(value);
        return;
    case 0x810:
        core.diepmsk = value;
        return;
    case 0x81c:
        core.daintmsk = value;
        return;
    case 0xe00:
        return;
    default:
        bus_wrong("a register that the driver has no need for is written");
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    const uint32_t offset = (uint32_t)(address - DWC2_BASE);
    accessed(address, offset >= 0x1000);
    if (offset >= 0x1000) {
        put_fifo(offset, value);
    } else if (offset >= 0x900 && offset < 0xc00) {
        put_endpoint(offset, value);
    } else {
        put_register(offset, value);
    }
    if (offset == 0x008) {
        dwc2_raise();
    }
}

void dwc2_power_up(const struct dwc2_kind *kind, void (*interrupt)(void)) {
    core = (struct core){.kind = *kind,
                         .interrupt = interrupt,
                         .cable = true,
                         .dctl = 2,
                         .writing = -1,
                         .idle_looks = kind->slow,
                         .mode_looks = kind->slow};
    core.idle_looks += kind->never_idle;
    core.mode_looks += kind->never_device;
}

bool dwc2_attached(void) { return core.cable && (core.dctl & 2) == 0; }
bool dwc2_interrupt_enabled(void) { return (core.gahbcfg & 1) != 0; }
unsigned dwc2_accesses(void) { return core.accesses; }
