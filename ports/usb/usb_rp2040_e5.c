/* SPDX-License-Identifier: MIT */
/* Erratum RP2040-E5 of the chips B0 and B1, "USB device fails to exit RESET state on busy USB bus" ("RP2040
 * Datasheet", appendix B): after a reset of the bus the controller wants to see it idle (state J) for 800 us. Behind a
 * hub that repeats packets for other devices it never does. The only other way for a line state into the
 * controller is from pins (4.1.4, USB_MUXING, TO_DIGITAL_PAD), where GPIO 15 is D+ and GPIO 16 is D-: so for a
 * millisecond these are taken for the bus, with GPIO 15 read as high, and GPIO 16 as low as it has another function. */
#include "mmio.h"
#include "usb_rp2040.h"

/* 4.1.4 */
#define SIE_STATUS 0x50110050u
#define STATUS_CONNECTED (1u << 16)
#define STATUS_LINE_STATE (3u << 2) /* 0: SE0, the reset lasts */
#define USB_MUXING 0x50110074u
#define MUXING_TO_PHY 1u
#define MUXING_TO_DIGITAL_PAD (1u << 2)
#define MUXING_SOFTCON (1u << 3)
#define USBPHY_DIRECT 0x5011007cu
#define DP_PULLUP_EN (1u << 1)
#define USBPHY_DIRECT_OVERRIDE 0x50110080u
#define DP_PULLUP_EN_OVERRIDE_EN (1u << 2)

/* 2.19.6.1: its output off, its input high, its function the mux; 2.19.6.3: both pulls hold the pin as it is. */
#define GPIO15_CTRL 0x4001407cu
#define CTRL_INOVER_HIGH (3u << 16)
#define CTRL_OEOVER (3u << 12)
#define CTRL_OEOVER_DISABLE (2u << 12)
#define CTRL_FUNCSEL 0x1fu
#define CTRL_FUNCSEL_USB 8u
#define GPIO15_PAD 0x4001c040u
#define PAD_PULLS (3u << 2)

#define TIMERAWL 0x40054028u /* 4.6.5: microseconds */

/* More than the 800 that the controller counts; and when it is given up, as the host goes on 10 ms after a reset. */
#define FORCED_US 1000u
#define GIVEN_UP_US 8000u

static void change(uint32_t address, uint32_t clear, uint32_t set) {
    mmio_put(address, (mmio_get(address) & ~clear) | set);
}

/* The pull-up is held by hand, as it would go with the PHY, and the host would see the device unplugged. */
static void force(struct kymo_usb_rp2040 *driver) {
    driver->gpio15_control = mmio_get(GPIO15_CTRL);
    driver->gpio15_pad = mmio_get(GPIO15_PAD);
    change(GPIO15_PAD, 0u, PAD_PULLS);
    change(GPIO15_CTRL, CTRL_OEOVER, CTRL_OEOVER_DISABLE);
    change(GPIO15_CTRL, CTRL_FUNCSEL, CTRL_FUNCSEL_USB | CTRL_INOVER_HIGH);
    change(USBPHY_DIRECT, 0u, DP_PULLUP_EN);
    change(USBPHY_DIRECT_OVERRIDE, 0u, DP_PULLUP_EN_OVERRIDE_EN);
    mmio_put(USB_MUXING, MUXING_TO_DIGITAL_PAD | MUXING_SOFTCON);
    driver->forced_us = mmio_get(TIMERAWL);
    driver->bus_start = KYMO_USB_RP2040_FORCED;
}

static void release(struct kymo_usb_rp2040 *driver) {
    mmio_put(USB_MUXING, MUXING_TO_PHY | MUXING_SOFTCON);
    change(USBPHY_DIRECT_OVERRIDE, DP_PULLUP_EN_OVERRIDE_EN, 0u);
    mmio_put(GPIO15_CTRL, driver->gpio15_control);
    mmio_put(GPIO15_PAD, driver->gpio15_pad);
    driver->bus_start = KYMO_USB_RP2040_STARTED;
}

static void follow(struct kymo_usb_rp2040 *driver, bool is_reset) {
    const uint32_t status = mmio_get(SIE_STATUS);
    if (driver->bus_start == KYMO_USB_RP2040_FORCED) {
        const uint32_t passed = mmio_get(TIMERAWL) - driver->forced_us;
        const bool done = passed >= FORCED_US && (status & STATUS_CONNECTED) != 0u;
        if (done || passed >= GIVEN_UP_US || is_reset) {
            release(driver);
        }
    }
    if (is_reset) {
        driver->bus_start = KYMO_USB_RP2040_RESET;
    }
    if (driver->bus_start == KYMO_USB_RP2040_RESET && (status & STATUS_LINE_STATE) != 0u) {
        force(driver);
    }
}

void kymo_usb_rp2040_lend_gpio15(struct kymo_usb_rp2040 *driver) {
    driver->follow_reset = driver->has_abort ? NULL : follow;
}
