/* SPDX-License-Identifier: MIT */
/* The full-speed core of Synopsys' DWC2 (DesignWare USB 2.0 OTG) as a device, for the stack of usb_device.h: the
 * OTG_FS of STM32 F4, F7, H7, L4 and of other makers' chips (GD32, AT32, and others); in slave mode, without DMA.
 *
 * "RM0090 Reference manual STM32F405/415, ...", chapter 34 "USB on-the-go full-speed (OTG_FS)": 34.16 registers,
 * 34.17 programming model. Tested against a model of those registers; not yet tested on real hardware.
 *
 * Clocks (48 MHz for the core, its bus clock), the pins and the interrupt controller are the board's business.
 * Endpoints: IN 0 to 3, OUT 0 and 1, which is what usb_cdc.h needs. */
#ifndef KYMO_USB_DWC2_H
#define KYMO_USB_DWC2_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/language.h"
#include "usb_controller.h"

KYMO_C_BEGIN

/* How the chip's maker wired the cable's voltage into GCCFG and GOTGCTL. */
enum kymo_usb_dwc2_layout {
    KYMO_USB_DWC2_OLD, /* STM32 F1, F2, F401, F405, F407, F411, F427, F429: VBUSBSEN, NOVBUSSENS */
    KYMO_USB_DWC2_NEW, /* STM32 F412, F413, F446, F469, F7, H7, L4, L4+: VBDEN; "RM0390", chapter 31 */
};

/* Fill it in for kymo_usb_dwc2_init(); it need not outlive the call. */
struct kymo_usb_dwc2_config {
    uintptr_t base;    /* of the core: 0x50000000 is OTG_FS of STM32 F4, F7, L4 */
    uint32_t clock_hz; /* of the bus that it is on (AHB); at least 14.2 MHz */
    enum kymo_usb_dwc2_layout layout;
    /* The pin VBUS is connected, so that a cable that is pulled out is seen. Where it is not, the pin is
     * free for other use. */
    bool vbus_pin;
};

#define KYMO_USB_DWC2_IN_ENDPOINTS 4u
#define KYMO_USB_DWC2_OUT_ENDPOINTS 2u

/* One core. Owned by the caller; the fields are private to the driver. */
struct kymo_usb_dwc2 {
    uintptr_t base;
    bool wanted;          /* interrupts, by the firmware */
    volatile bool masked; /* and kept out by the stack */
    uint8_t setup[8];
    struct {
        uint8_t length;
        uint8_t bytes[KYMO_USB_PACKET_BYTES];
    } packet[KYMO_USB_DWC2_OUT_ENDPOINTS]; /* taken from the FIFO and not complete yet */
    struct kymo_usb_controller controller;
};

/* Sets the core up as a device, detached, without interrupts. Once, with its clocks running; waits until the core
 * has reset itself and has become a device, 25 ms where its ID pin said otherwise. False if it does not, or the
 * clock is too slow. */
bool kymo_usb_dwc2_init(struct kymo_usb_dwc2 *driver, const struct kymo_usb_dwc2_config *config);

/* For usb_cdc.h; valid as long as *driver. */
static inline const struct kymo_usb_controller *kymo_usb_dwc2_controller(
    const struct kymo_usb_dwc2 *driver) {
    return &driver->controller;
}

/* Whether what happens on the bus raises the core's interrupt; off after init, for a device that is polled. Its
 * handler polls the device. Any context. */
void kymo_usb_dwc2_interrupts(struct kymo_usb_dwc2 *driver, bool on);

KYMO_C_END

#endif
