/* SPDX-License-Identifier: MIT */
/* A model of the RP2040's USB controller, registers and memory, made after the "RP2040 Datasheet", section 4.1. It is
 * strict: it fails when a buffer is changed that the controller owns, or when AVAILABLE or STALL come together
 * with other changes. */
#ifndef RP2040_USB_H
#define RP2040_USB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where buffer control is in the memory, and its bits (4.1.2.5.3). */
#define RP2040_USB_CONTROL 0x80u
#define RP2040_USB_FULL 0x8000u
#define RP2040_USB_DATA1 0x2000u
#define RP2040_USB_STALL 0x0800u
#define RP2040_USB_AVAILABLE 0x0400u

/* Bits of sie_status (4.1.4). */
#define RP2040_USB_BUS_RESET (1u << 19)
#define RP2040_USB_RESUME (1u << 11)
#define RP2040_USB_SUSPENDED (1u << 4)
#define RP2040_USB_CONNECTED (1u << 16)
#define RP2040_USB_LINE_J (1u << 2)

struct rp2040_usb {
    uint32_t addr, main_ctrl, sie_ctrl, sie_status, buff_status, abort, abort_done, stall_arm,
        muxing, power, phy, phy_override, inte;
    uint32_t gpio15, gpio15_pad; /* CTRL of IO_BANK0, and PADS_BANK0 (2.19.6) */
    uint32_t revision;
    bool state_changed;  /* suspend */
    bool setup_again;    /* another SETUP packet comes while the first is read */
    uint32_t said_bytes; /* if not 0, the length of a received packet as the controller tells it */
    unsigned aborts;
    bool frame;      /* has begun, and that is not acknowledged */
    uint32_t now_us; /* of TIMER */
    uint8_t memory[4096];
};
extern struct rp2040_usb chip;

/* Everything off, as after a reset; the memory holds rubbish, except buffer control. */
void rp2040_usb_reset(uint32_t revision);

uint32_t rp2040_usb_word(uint32_t offset);
/* Buffer control of an endpoint, and where its buffer is in the memory. */
uint32_t rp2040_usb_control(uint8_t endpoint);
const uint8_t *rp2040_usb_buffer(uint8_t endpoint);

/* ---- the host's side ---- */

void rp2040_usb_setup(const void *setup);
/* The host takes a packet, which must have this toggle and these bytes. */
void rp2040_usb_in(uint8_t endpoint, unsigned toggle, const void *bytes, size_t length);
/* The host sends one, which must be expected with this toggle and room. */
void rp2040_usb_out(uint8_t endpoint, unsigned toggle, const void *bytes, size_t length,
                    size_t room);

#endif
