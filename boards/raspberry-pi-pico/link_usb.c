/* SPDX-License-Identifier: MIT */
/* The way to the host: the chip's own USB socket. Section numbers are of the "RP2040 Datasheet". */
#include "board_link.h"
#include "cortex-m/core.h"
#include "flash_id.h"
#include "pico.h"
#include "usb_cdc.h"
#include "usb_rp2040.h"

/* 2.14.3 */
#define RESET_PLL_USB (1u << 13)
#define RESET_USBCTRL (1u << 24)

/* 2.18.4; 12 MHz * 100 = 1200 MHz, / 5 / 5 = 48 MHz, which 2.15.1 wants for USB. */
#define PLL_USB 0x4002c000u
#define FEEDBACK 100u
#define DIVIDERS_5_5 (5u << 16 | 5u << 12)

/* 2.15.7: after a reset its source is PLL_USB, undivided. */
#define CLK_USB_CTRL 0x40008054u
#define CLK_USB_DIV 0x40008058u
#define USB_ENABLE_PLL_USB (1u << 11)
#define USB_DIV_1 (1u << 8)

#define TIMERAWL 0x40054028u /* 4.6.5: microseconds */
#define SETTLE_US 200000u
#define LINGER_US 30000000u

static struct kymo_usb_rp2040 controller;
static struct kymo_usb_cdc port;

void board_interrupt(void);

void board_interrupt(void) { kymo_usb_cdc_poll(&port); }

static void start_clock(void) {
    pico_put(CLK_USB_CTRL, 0u); /* stopped while its source is */
    pico_start_pll(PLL_USB, RESET_PLL_USB, FEEDBACK, DIVIDERS_5_5);
    pico_put(CLK_USB_DIV, USB_DIV_1);
    pico_put(CLK_USB_CTRL, USB_ENABLE_PLL_USB);
}

static uint32_t now_us(void) { return *(volatile uint32_t *)TIMERAWL; }

/* The demo runs for two seconds only, so it begins when a host reads: when the port has been open for a
 * moment, as a new serial port of Linux echoes and changes bytes until its program has set it up. An open
 * port interrupts each millisecond. An interrupt that comes before the WFI ends that, although it is masked
 * (ARMv6-M ARM, B1.5.17). */
static void wait_for_host(void) {
    uint32_t closed_us = now_us();
    bool settled = false;
    while (!settled) {
        __asm__ volatile("cpsid i" ::: "memory");
        if (!kymo_usb_cdc_open(&port)) {
            closed_us = now_us();
        }
        settled = now_us() - closed_us >= SETTLE_US;
        if (!settled) {
            __asm__ volatile("dsb\n\twfi" ::: "memory");
        }
        __asm__ volatile("cpsie i" ::: "memory");
    }
}

bool board_link_init(void) {
    static uint8_t chip_id[FLASH_ID_BYTES];
    flash_id(chip_id);
    start_clock();
    pico_reset(RESET_USBCTRL);
    kymo_usb_rp2040_init(&controller);
    const struct kymo_usb_cdc_config config = {.controller =
                                                   kymo_usb_rp2040_controller(&controller),
                                               .chip_id = chip_id,
                                               .chip_id_bytes = sizeof chip_id};
    if (!kymo_usb_cdc_init(&port, &config)) {
        return false;
    }
    kymo_usb_rp2040_interrupts(&controller, true);
    core_interrupt_enable(KYMO_USB_RP2040_INTERRUPT);
    wait_for_host();
    return true;
}

const struct kymo_transport *board_link_transport(void) { return kymo_usb_cdc_transport(&port); }

/* The demo is at its end: for the host the cable is out then. Bytes that its program has not read are lost
 * by that, so it gets time, until it closes the port. */
bool board_link_idle(void) {
    static bool idle;
    static uint32_t since_us;
    if (!kymo_usb_cdc_idle(&port)) {
        return false;
    }
    if (!idle) {
        idle = true;
        since_us = now_us();
    }
    if (kymo_usb_cdc_open(&port) && now_us() - since_us < LINGER_US) {
        return false;
    }
    return kymo_usb_cdc_attach(&port, false);
}
