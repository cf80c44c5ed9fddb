/* SPDX-License-Identifier: MIT */
#include "rp2040_usb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "mmio.h"

#define MEMORY 0x50100000u
#define REGISTERS 0x50110000u
#define CHIP_ID 0x40000000u
#define TIMERAWL 0x40054028u
#define GPIO15_CTRL 0x4001407cu
#define GPIO15_PAD 0x4001c040u

#define CONTROL RP2040_USB_CONTROL
#define FULL RP2040_USB_FULL
#define DATA1 RP2040_USB_DATA1
#define STALL RP2040_USB_STALL
#define AVAILABLE RP2040_USB_AVAILABLE
#define BUS_RESET RP2040_USB_BUS_RESET
#define SETUP_REC (1u << 17)
#define RESUME RP2040_USB_RESUME
#define W1C (BUS_RESET | SETUP_REC | RESUME)

struct rp2040_usb chip;

void rp2040_usb_reset(uint32_t revision) {
    memset(&chip, 0, sizeof chip);
    memset(chip.memory, 0x55, sizeof chip.memory);
    memset(chip.memory + CONTROL, 0, 0x80u);
    chip.revision = revision;
}

uint32_t rp2040_usb_word(uint32_t offset) {
    uint32_t value;
    memcpy(&value, chip.memory + offset, sizeof value);
    return value;
}

static void set_word(uint32_t offset, uint32_t value) {
    memcpy(chip.memory + offset, &value, sizeof value);
}

static uint32_t causes(void) {
    const uint32_t status = chip.sie_status;
    return (chip.frame ? 1u << 17 : 0u) | ((status & SETUP_REC) != 0u ? 1u << 16 : 0u) |
           ((status & RESUME) != 0u ? 1u << 15 : 0u) | (chip.state_changed ? 1u << 14 : 0u) |
           ((status & BUS_RESET) != 0u ? 1u << 12 : 0u) | (chip.buff_status != 0u ? 1u << 4 : 0u);
}

static uint32_t *register_at(uint32_t offset) {
    switch (offset) {
    case 0x00:
        return &chip.addr;
    case 0x40:
        return &chip.main_ctrl;
    case 0x4c:
        return &chip.sie_ctrl;
    case 0x60:
        return &chip.abort;
    case 0x68:
        return &chip.stall_arm;
    case 0x74:
        return &chip.muxing;
    case 0x78:
        return &chip.power;
    case 0x7c:
        return &chip.phy;
    case 0x80:
        return &chip.phy_override;
    case 0x90:
        return &chip.inte;
    default:
        fail_msg("register %#x", offset);
        return NULL;
    }
}

static uint32_t *gpio_at(uintptr_t address) {
    return address == GPIO15_CTRL ? &chip.gpio15 : &chip.gpio15_pad;
}

uint32_t mmio_get(uintptr_t address) {
    if (address == CHIP_ID) {
        return chip.revision << 28 | 0x2927u;
    }
    if (address - MEMORY < sizeof chip.memory) {
        if (address == MEMORY && chip.setup_again) {
            chip.setup_again = false;
            chip.sie_status |= SETUP_REC;
        }
        return rp2040_usb_word((uint32_t)(address - MEMORY));
    }
    if (address == TIMERAWL) {
        return chip.now_us;
    }
    if (address == GPIO15_CTRL || address == GPIO15_PAD) {
        return *gpio_at(address);
    }
    switch (address - REGISTERS) {
    case 0x48:
        chip.frame = false;
        return 0u;
    case 0x50:
        return chip.sie_status;
    case 0x58:
        return chip.buff_status;
    case 0x64:
        return chip.abort_done;
    case 0x8c:
        return causes();
    default:
        return *register_at((uint32_t)(address - REGISTERS));
    }
}

static void put_memory(uint32_t offset, uint32_t value) {
    if (offset >= CONTROL && offset < 0x100u) {
        const uint32_t before = rp2040_usb_word(offset);
        const uint32_t bit = 1u << (offset - CONTROL) / 4u;
        const uint32_t late = AVAILABLE | STALL;
        const bool owned = (before & AVAILABLE) != 0u && chip.revision >= 2u;
        assert_false(owned && (chip.abort_done & bit) == 0u);
        assert_false((value & late) != 0u && ((value ^ before) & ~late) != 0u);
    }
    set_word(offset, value);
}

static void put_register(uint32_t offset, uint32_t value) {
    uint32_t *const target = register_at(offset & 0xfffu);
    const uint32_t before = *target;
    switch (offset & 0xf000u) {
    case 0x2000:
        *target |= value;
        break;
    case 0x3000:
        *target &= ~value;
        break;
    default:
        *target = value;
    }
    if (target == &chip.abort) {
        chip.abort_done |= chip.abort & ~before;
        chip.aborts += (chip.abort & ~before) != 0u;
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    if (address - MEMORY < sizeof chip.memory) {
        put_memory((uint32_t)(address - MEMORY), value);
        return;
    }
    if (address == GPIO15_CTRL || address == GPIO15_PAD) {
        *gpio_at(address) = value;
        return;
    }
    switch (address - REGISTERS) {
    case 0x50:
        chip.sie_status &= ~(value & W1C);
        chip.state_changed = chip.state_changed && (value & RP2040_USB_SUSPENDED) == 0u;
        break;
    case 0x58:
        chip.buff_status &= ~value;
        break;
    case 0x64:
        chip.abort_done &= ~value;
        break;
    default:
        put_register((uint32_t)(address - REGISTERS), value);
    }
}

/* ---- the host's side ---- */

static uint32_t at_of(uint8_t endpoint) {
    return CONTROL + 8u * (endpoint & 15u) + ((endpoint & 0x80u) != 0u ? 0u : 4u);
}

uint32_t rp2040_usb_control(uint8_t endpoint) { return rp2040_usb_word(at_of(endpoint)); }

const uint8_t *rp2040_usb_buffer(uint8_t endpoint) {
    const uint32_t at = at_of(endpoint) - CONTROL;
    return chip.memory + ((endpoint & 15u) == 0u ? 0x100u : rp2040_usb_word(at) & 0xffc0u);
}

static void packet_through(uint8_t endpoint) {
    chip.buff_status |= 1u << (2u * (endpoint & 15u) + ((endpoint & 0x80u) != 0u ? 0u : 1u));
}

void rp2040_usb_in(uint8_t endpoint, unsigned toggle, const void *bytes, size_t length) {
    const uint32_t control = rp2040_usb_word(at_of(endpoint));
    assert_int_equal(control, FULL | AVAILABLE | (toggle != 0u ? DATA1 : 0u) | (uint32_t)length);
    assert_memory_equal(rp2040_usb_buffer(endpoint), bytes, length);
    set_word(at_of(endpoint), control & ~(FULL | AVAILABLE));
    packet_through(endpoint);
}

void rp2040_usb_out(uint8_t endpoint, unsigned toggle, const void *bytes, size_t length,
                    size_t room) {
    const uint32_t control = rp2040_usb_word(at_of(endpoint));
    assert_int_equal(control, AVAILABLE | (toggle != 0u ? DATA1 : 0u) | (uint32_t)room);
    memcpy(chip.memory + (rp2040_usb_buffer(endpoint) - chip.memory), bytes, length);
    set_word(at_of(endpoint), (control & DATA1) | FULL |
                                  (chip.said_bytes != 0u ? chip.said_bytes : (uint32_t)length));
    packet_through(endpoint);
}

void rp2040_usb_setup(const void *setup) {
    memcpy(chip.memory, setup, 8u);
    chip.stall_arm = 0u;
    chip.sie_status |= SETUP_REC;
}
