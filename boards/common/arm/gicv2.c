/* SPDX-License-Identifier: MIT */
#include "arm/gicv2.h"

/* Distributor: 4.3.1, 4.3.5, 4.3.11. The first registers of the last two are each core's own. */
#define GICD_CTLR 0x000u
#define GICD_ISENABLER0 0x100u
#define GICD_IPRIORITYR 0x400u /* a byte each */
/* Interface of the core: 4.4.1, 4.4.2, 4.4.4, 4.4.5. */
#define GICC_CTLR 0x00u
#define GICC_PMR 0x04u
#define GICC_IAR 0x0cu
#define GICC_EOIR 0x10u
#define ENABLE 1u
#define ANY_PRIORITY 0xffu
#define HIGH_PRIORITY 0x00u
#define NUMBER 0x3ffu

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

void gicv2_enable(const struct gicv2 *gic, unsigned number) {
    *(volatile uint8_t *)(gic->distributor + GICD_IPRIORITYR + number) = HIGH_PRIORITY;
    *reg32(gic->distributor + GICD_ISENABLER0) = 1u << number;
    *reg32(gic->distributor + GICD_CTLR) = ENABLE;
    *reg32(gic->core + GICC_PMR) = ANY_PRIORITY;
    *reg32(gic->core + GICC_CTLR) = ENABLE;
}

unsigned gicv2_take(const struct gicv2 *gic) { return *reg32(gic->core + GICC_IAR) & NUMBER; }

void gicv2_done(const struct gicv2 *gic, unsigned number) {
    *reg32(gic->core + GICC_EOIR) = number;
}
