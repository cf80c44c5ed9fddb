/* SPDX-License-Identifier: MIT */
#include "usb_dwc2.h"

#include "kymo/bytes.h"
#include "mmio.h"
#include "usb_dwc2_registers.h"

/* FIFOs in words, of the core's 320: for the receive FIFO more than 34.11.1 computes for two OUT endpoints; for
 * each IN endpoint the least that is allowed, which is one packet. */
#define RX_WORDS 64u
#define TX_WORDS 16u

/* Looks at a bit that the core changes by itself, within microseconds where not said otherwise. */
#define LOOKS 1000u
#define LOOKS_MODE 2000000u /* more than 25 ms at any clock that it runs at */
/* Things that happen on the bus between two calls of poll(): what is beyond waits for the next call. */
#define TURNS 32u

static uint32_t get(const struct kymo_usb_dwc2 *driver, uint32_t reg) {
    return mmio_get(driver->base + reg);
}

static void put(const struct kymo_usb_dwc2 *driver, uint32_t reg, uint32_t value) {
    mmio_put(driver->base + reg, value);
}

static void set(const struct kymo_usb_dwc2 *driver, uint32_t reg, uint32_t bits) {
    put(driver, reg, get(driver, reg) | bits);
}

static void clear(const struct kymo_usb_dwc2 *driver, uint32_t reg, uint32_t bits) {
    put(driver, reg, get(driver, reg) & ~bits);
}

static bool wait(const struct kymo_usb_dwc2 *driver, uint32_t reg, uint32_t bit, bool on,
                 uint32_t looks) {
    for (uint32_t look = 0u; look < looks; look++) {
        if (((get(driver, reg) & bit) != 0u) == on) {
            return true;
        }
    }
    return false;
}

/* ---- endpoints ---- */

static bool is_in(uint8_t endpoint) { return (endpoint & 0x80u) != 0u; }
static uint32_t number_of(uint8_t endpoint) { return endpoint & 0xfu; }

static uint32_t registers_of(uint8_t endpoint) {
    return (is_in(endpoint) ? DIEP : DOEP) + 0x20u * number_of(endpoint);
}

static bool exists(uint8_t endpoint) {
    return number_of(endpoint) <
           (is_in(endpoint) ? KYMO_USB_DWC2_IN_ENDPOINTS : KYMO_USB_DWC2_OUT_ENDPOINTS);
}

static void flush(const struct kymo_usb_dwc2 *driver, uint32_t which) {
    put(driver, GRSTCTL, which);
    (void)wait(driver, GRSTCTL, which & (GRSTCTL_RXFFLSH | GRSTCTL_TXFFLSH), false, LOOKS);
}

/* Drops what is armed (34.17.6 "IN endpoint disable"). */
static void drop_in(const struct kymo_usb_dwc2 *driver, uint32_t number) {
    const uint32_t ep = DIEP + 0x20u * number;
    if ((get(driver, ep + EP_CTL) & CTL_EPENA) != 0u) {
        if ((get(driver, ep + EP_CTL) & CTL_NAKSTS) == 0u) {
            set(driver, ep + EP_CTL, CTL_SNAK);
            (void)wait(driver, ep + EP_INT, EP_INEPNE, true, LOOKS);
        }
        set(driver, ep + EP_CTL, CTL_EPDIS | CTL_SNAK);
        (void)wait(driver, ep + EP_INT, EP_EPDISD, true, LOOKS);
        flush(driver, GRSTCTL_TXFFLSH | number << GRSTCTL_TXFNUM_SHIFT);
    }
    put(driver, ep + EP_INT, EP_XFRC | EP_EPDISD | EP_INEPNE);
}

/* An OUT endpoint can only be disabled by stopping all of them (34.17.6). It is not necessary: one that stays
 * enabled answers NAK after SNAK, and receive() finds it ready. */
static void hold_out(const struct kymo_usb_dwc2 *driver, uint32_t number) {
    set(driver, DOEP + 0x20u * number + EP_CTL, CTL_SNAK);
}

static void do_open(void *context, uint8_t endpoint, enum kymo_usb_endpoint_type type,
                    unsigned max_bytes) {
    const struct kymo_usb_dwc2 *driver = context;
    const uint32_t number = number_of(endpoint);
    if (!exists(endpoint)) {
        return;
    }
    uint32_t control =
        CTL_USBAEP | CTL_SD0PID | CTL_SNAK | (uint32_t)type << CTL_TYPE_SHIFT | max_bytes;
    if (is_in(endpoint)) {
        drop_in(driver, number);
        control |= number << CTL_TXFNUM_SHIFT;
    }
    put(driver, registers_of(endpoint) + EP_CTL, control);
}

static void close_all(const struct kymo_usb_dwc2 *driver) {
    for (uint32_t number = 1u; number < KYMO_USB_DWC2_IN_ENDPOINTS; number++) {
        drop_in(driver, number);
        clear(driver, DIEP + 0x20u * number + EP_CTL, CTL_USBAEP | CTL_STALL);
    }
    for (uint32_t number = 1u; number < KYMO_USB_DWC2_OUT_ENDPOINTS; number++) {
        hold_out(driver, number);
        clear(driver, DOEP + 0x20u * number + EP_CTL, CTL_USBAEP | CTL_STALL);
    }
}

static void do_close(void *context) { close_all(context); }

static void flush_all(const struct kymo_usb_dwc2 *driver) {
    flush(driver, GRSTCTL_TXFFLSH | GRSTCTL_TXFNUM_ALL << GRSTCTL_TXFNUM_SHIFT);
    flush(driver, GRSTCTL_RXFFLSH);
}

/* At a reset, or when the connection ends: what is armed, and what came and has not been reported. */
static void drop_all(const struct kymo_usb_dwc2 *driver) {
    hold_out(driver, 0u);
    drop_in(driver, 0u);
    close_all(driver);
    flush_all(driver);
    clear(driver, DCFG, DCFG_ADDRESS);
}

static void do_halt(void *context, uint8_t endpoint, bool on) {
    const struct kymo_usb_dwc2 *driver = context;
    const uint32_t control = registers_of(endpoint) + EP_CTL;
    if (!exists(endpoint)) {
        return;
    }
    if (is_in(endpoint)) {
        drop_in(driver, number_of(endpoint));
    } else {
        hold_out(driver, number_of(endpoint));
    }
    if (on) {
        set(driver, control, CTL_STALL);
    } else {
        put(driver, control, (get(driver, control) & ~CTL_STALL) | CTL_SD0PID);
    }
}

/* The core ends both with the next SETUP. */
static void do_stall(void *context) {
    set(context, DIEP + EP_CTL, CTL_STALL);
    set(context, DOEP + EP_CTL, CTL_STALL);
}

/* Nothing else of the core may be touched between two words, or they are written wrong (errata of several STM32,
 * "Data FIFO gets corrupted if the write sequence to the transmit FIFO is interleaved with other OTG_FS register
 * access"): a context that interrupts this finds the interrupt masked, and leaves the core alone. */
static void write_fifo(const struct kymo_usb_dwc2 *driver, uint32_t number, const uint8_t *bytes,
                       size_t length) {
    for (size_t at = 0u; at < length; at += 4u) {
        uint32_t word = 0u;
        for (size_t i = 0u; i < 4u && at + i < length; i++) {
            word |= (uint32_t)bytes[at + i] << (8u * i);
        }
        put(driver, FIFO + 0x1000u * number, word);
    }
}

static void do_send(void *context, uint8_t endpoint, const uint8_t *bytes, size_t length) {
    const struct kymo_usb_dwc2 *driver = context;
    const uint32_t number = number_of(endpoint);
    if (number < KYMO_USB_DWC2_IN_ENDPOINTS) {
        const uint32_t ep = DIEP + 0x20u * number;
        put(driver, ep + EP_TSIZ, TSIZ_PACKET | (uint32_t)length);
        set(driver, ep + EP_CTL, CTL_EPENA | CTL_CNAK);
        write_fifo(driver, number, bytes, length);
    }
}

static void do_receive(void *context, uint8_t endpoint) {
    const struct kymo_usb_dwc2 *driver = context;
    const uint32_t ep = registers_of(endpoint);
    if (!exists(endpoint)) {
        return;
    }
    if (number_of(endpoint) == 0u) {
        put(driver, ep + EP_TSIZ, TSIZ_SETUPS | TSIZ_PACKET | KYMO_USB_PACKET_BYTES);
    } else if ((get(driver, ep + EP_CTL) & CTL_EPENA) == 0u) {
        put(driver, ep + EP_TSIZ, TSIZ_PACKET | KYMO_USB_PACKET_BYTES);
    }
    set(driver, ep + EP_CTL, CTL_EPENA | CTL_CNAK);
}

/* ---- what happens on the bus ---- */

/* RM0090, 34.17.5 "Endpoint initialization on USB reset". The core has closed all endpoints but 0, whose greatest
 * packet is 64 bytes, as MPSIZ is 0. */
static void on_reset(const struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device) {
    drop_all(driver);
    put(driver, DOEP + EP_TSIZ, TSIZ_SETUPS | TSIZ_PACKET | KYMO_USB_PACKET_BYTES);
    kymo_usb_on_reset(device);
}

/* Words of the FIFO as bytes; what does not fit is taken out all the same. */
static void read_fifo(const struct kymo_usb_dwc2 *driver, uint8_t *bytes, size_t length,
                      size_t room) {
    uint32_t word = 0u;
    for (size_t i = 0u; i < length; i++) {
        if (i % 4u == 0u) {
            word = get(driver, FIFO);
        }
        if (i < room) {
            bytes[i] = (uint8_t)(word >> (8u * (i % 4u)));
        }
    }
}

static void on_setup(struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device) {
    drop_in(driver, 0u);
    put(driver, DOEP + EP_TSIZ, TSIZ_SETUPS | TSIZ_PACKET | KYMO_USB_PACKET_BYTES);
    kymo_usb_on_setup(device, driver->setup);
}

static void on_received(struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device) {
    const uint32_t status = get(driver, GRXSTSP);
    const uint32_t number = status & GRXSTSP_ENDPOINT;
    const size_t length = status >> GRXSTSP_BYTES_SHIFT & GRXSTSP_BYTES;
    const unsigned what = status >> GRXSTSP_STATUS_SHIFT & GRXSTSP_STATUS;
    if (what == RX_SETUP_DATA) {
        read_fifo(driver, driver->setup, length, sizeof driver->setup);
    } else if (what == RX_SETUP_DONE) {
        on_setup(driver, device);
    } else if (number >= KYMO_USB_DWC2_OUT_ENDPOINTS) {
        read_fifo(driver, driver->setup, length, 0u); /* of an endpoint that nobody has opened */
    } else if (what == RX_OUT_DATA) {
        read_fifo(driver, driver->packet[number].bytes, length, KYMO_USB_PACKET_BYTES);
        driver->packet[number].length =
            (uint8_t)(length < KYMO_USB_PACKET_BYTES ? length : KYMO_USB_PACKET_BYTES);
    } else if (what == RX_OUT_DONE) {
        kymo_usb_on_received(device, (uint8_t)number, driver->packet[number].bytes,
                             driver->packet[number].length);
    }
}

static void on_sent(const struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device) {
    for (uint32_t number = 0u; number < KYMO_USB_DWC2_IN_ENDPOINTS; number++) {
        const uint32_t interrupt = DIEP + 0x20u * number + EP_INT;
        if ((get(driver, interrupt) & EP_XFRC) != 0u) {
            put(driver, interrupt, EP_XFRC);
            kymo_usb_on_sent(device, (uint8_t)(number != 0u ? number | 0x80u : 0u));
        }
    }
}

static void on_otg(const struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device) {
    const uint32_t causes = get(driver, GOTGINT);
    put(driver, GOTGINT, causes);
    if ((causes & GOTGINT_SEDET) != 0u) {
        drop_all(driver);
        kymo_usb_on_detach(device);
    }
}

/* Both causes may be there: what counts is how it is now. */
static void on_suspend(const struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device) {
    if ((get(driver, DSTS) & DSTS_SUSPSTS) != 0u) {
        kymo_usb_on_suspend(device);
    } else {
        kymo_usb_on_resume(device);
    }
}

/* One turn. What was sent comes before what was received: the host acknowledged the packets of a transfer before
 * it sent the SETUP of the next. */
static void report(struct kymo_usb_dwc2 *driver, struct kymo_usb_device *device, uint32_t causes) {
    put(driver, GINTSTS, causes & (INT_WKUP | INT_USBSUSP | INT_USBRST));
    if ((causes & INT_USBRST) != 0u) {
        on_reset(driver, device);
        return; /* the other causes were of the time before */
    }
    if ((causes & INT_IEP) != 0u) {
        on_sent(driver, device);
    }
    if ((causes & INT_RXFLVL) != 0u) {
        on_received(driver, device);
    }
    if ((causes & (INT_USBSUSP | INT_WKUP)) != 0u) {
        on_suspend(driver, device);
    }
    if ((causes & INT_OTG) != 0u) {
        on_otg(driver, device);
    }
}

static void do_poll(void *context, struct kymo_usb_device *device) {
    for (unsigned turn = 0u; turn < TURNS; turn++) {
        const uint32_t causes = get(context, GINTSTS) & INT_ALL;
        if (causes == 0u) {
            return;
        }
        report(context, device, causes);
    }
}

static void do_address(void *context, uint8_t address) {
    const struct kymo_usb_dwc2 *driver = context;
    put(driver, DCFG,
        (get(driver, DCFG) & ~DCFG_ADDRESS) | (uint32_t)address << DCFG_ADDRESS_SHIFT);
}

/* ---- interrupts ---- */

/* No access where it is masked already, see write_fifo(). The order of the two lines lets a handler that comes
 * between them mask by itself. */
static void do_interrupts(void *context, bool on) {
    struct kymo_usb_dwc2 *driver = context;
    if (on) {
        driver->masked = false;
        put(driver, GAHBCFG, driver->wanted ? GAHBCFG_GINT : 0u);
    } else if (!driver->masked) {
        put(driver, GAHBCFG, 0u);
        driver->masked = true;
    }
}

void kymo_usb_dwc2_interrupts(struct kymo_usb_dwc2 *driver, bool on) {
    driver->wanted = on;
    if (!driver->masked) {
        do_interrupts(driver, true);
    }
}

/* ---- begin and end ---- */

static void do_attach(void *context, bool on) {
    const struct kymo_usb_dwc2 *driver = context;
    if (on) {
        clear(driver, DCTL, DCTL_SDIS);
    } else {
        set(driver, DCTL, DCTL_SDIS);
        drop_all(driver);
    }
}

/* RM0090, table "TRDT values": clocks of the bus that an answer takes, by its rate in 100 kHz. */
static uint32_t turnaround(uint32_t clock_hz) {
    static const uint16_t from[] = {320, 275, 240, 218, 200, 185, 172, 160, 150, 142};
    for (uint32_t i = 0u; i < sizeof from / sizeof *from; i++) {
        if (clock_hz >= from[i] * 100000u) {
            return 6u + i;
        }
    }
    return 0u;
}

static void use_vbus_pin(const struct kymo_usb_dwc2 *driver,
                         const struct kymo_usb_dwc2_config *config) {
    if (config->layout == KYMO_USB_DWC2_OLD) {
        put(driver, GCCFG, GCCFG_PWRDWN | (config->vbus_pin ? GCCFG_VBUSBSEN : GCCFG_NOVBUSSENS));
    } else if (config->vbus_pin) {
        put(driver, GCCFG, GCCFG_PWRDWN | GCCFG_VBDEN);
    } else {
        put(driver, GCCFG, GCCFG_PWRDWN);
        set(driver, GOTGCTL, GOTGCTL_BVALOEN | GOTGCTL_BVALOVAL);
    }
}

/* 34.17.1, 34.17.3: the core resets itself, becomes a device and stays off the bus. */
static bool start_core(const struct kymo_usb_dwc2 *driver,
                       const struct kymo_usb_dwc2_config *config) {
    put(driver, GAHBCFG, 0u);
    set(driver, GUSBCFG, GUSBCFG_PHYSEL);
    if (!wait(driver, GRSTCTL, GRSTCTL_AHBIDL, true, LOOKS)) {
        return false;
    }
    set(driver, GRSTCTL, GRSTCTL_CSRST);
    if (!wait(driver, GRSTCTL, GRSTCTL_CSRST, false, LOOKS)) {
        return false;
    }
    use_vbus_pin(driver, config);
    put(driver, GUSBCFG,
        GUSBCFG_FDMOD | GUSBCFG_PHYSEL | turnaround(config->clock_hz) << GUSBCFG_TRDT_SHIFT);
    return wait(driver, GINTSTS, INT_HOST_MODE, false, LOOKS_MODE);
}

static void set_up_device(const struct kymo_usb_dwc2 *driver) {
    put(driver, PCGCCTL, 0u);
    set(driver, DCTL, DCTL_SDIS);
    put(driver, DCFG, DCFG_FULL_SPEED);
    put(driver, GRXFSIZ, RX_WORDS);
    put(driver, DIEPTXF0, TX_WORDS << 16 | RX_WORDS);
    for (uint32_t number = 1u; number < KYMO_USB_DWC2_IN_ENDPOINTS; number++) {
        put(driver, DIEPTXF + 4u * number, TX_WORDS << 16 | (RX_WORDS + TX_WORDS * number));
    }
    flush_all(driver);
    put(driver, DIEPMSK, EP_XFRC);
    put(driver, DAINTMSK, DAINT_IN_ALL);
    put(driver, GINTSTS, UINT32_MAX);
    put(driver, GINTMSK, INT_ALL);
}

bool kymo_usb_dwc2_init(struct kymo_usb_dwc2 *driver, const struct kymo_usb_dwc2_config *config) {
    kymo_put_zeros(driver, sizeof *driver);
    driver->base = config->base;
    kymo_put_zeros(&driver->controller, sizeof driver->controller);
    driver->controller.attach = do_attach;
    driver->controller.address = do_address;
    driver->controller.open = do_open;
    driver->controller.close = do_close;
    driver->controller.halt = do_halt;
    driver->controller.stall = do_stall;
    driver->controller.send = do_send;
    driver->controller.receive = do_receive;
    driver->controller.poll = do_poll;
    driver->controller.interrupts = do_interrupts;
    driver->controller.context = driver;
    driver->controller.address_early = true;
    if (turnaround(config->clock_hz) == 0u || !start_core(driver, config)) {
        return false;
    }
    set_up_device(driver);
    return true;
}
