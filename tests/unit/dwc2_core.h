/* SPDX-License-Identifier: MIT */
/* A model of the DWC2 core, by RM0090 chapter 34: behind the registers of ports/transport/mmio.h, and in place of
 * tests/usb/model.c on the bus (it defines the host's functions of model.h; their first argument is not used).
 * What a driver must not do is bus_wrong(). */
#ifndef TESTS_DWC2_CORE_H
#define TESTS_DWC2_CORE_H

#include "usb/model.h"

#define DWC2_BASE 0x50000000u

/* How cores differ, or may be wired. */
struct dwc2_kind {
    bool setup_done_late;                        /* SETUP counts as done with the next token only */
    bool setup_keeps_enable;                     /* EPENA of OUT 0 outlives a SETUP */
    bool never_resets, never_idle, never_device; /* broken, or without its clock */
    unsigned slow;                               /* so many looks until a bit changes */
};

/* As after power-up. "interrupt" is called whenever the core's interrupt is raised. */
void dwc2_power_up(const struct dwc2_kind *kind, void (*interrupt)(void));

bool dwc2_attached(void);
bool dwc2_interrupt_enabled(void);
uint32_t dwc2_register(uint32_t offset);
/* Looks of the driver so far, at any register. */
unsigned dwc2_accesses(void);

#endif
