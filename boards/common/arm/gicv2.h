/* SPDX-License-Identifier: MIT */
/* The interrupt controller GICv2: "ARM Generic Interrupt Controller Architecture Specification,
 * version 2.0" (IHI 0048B), for the private interrupts of each core. */
#ifndef ARM_GICV2_H
#define ARM_GICV2_H

#include <stdint.h>

/* 27 is the virtual timer of the core ("Server Base System Architecture", DEN 0029, and most chips). */
#define GICV2_VIRTUAL_TIMER 27u
#define GICV2_NONE 1023u

struct gicv2 {
    uintptr_t distributor, core;
};

/* Lets private interrupt "number" (16 to 31) of the calling core through to it. On each core. */
void gicv2_enable(const struct gicv2 *gic, unsigned number);

/* In an interrupt handler: the interrupt that has come, GICV2_NONE if it is gone again; then its end. */
unsigned gicv2_take(const struct gicv2 *gic);
void gicv2_done(const struct gicv2 *gic, unsigned number);

#endif
