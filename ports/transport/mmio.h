/* SPDX-License-Identifier: MIT */
/* Device registers in memory: of 32 bits, and where a device wants it so, of 8. */
#ifndef KYMO_MMIO_H
#define KYMO_MMIO_H

#include <stdint.h>

#ifdef KYMO_MMIO_MODEL

/* A test on another machine has a model of the device. */
uint32_t mmio_get(uintptr_t address);
uint8_t mmio_get8(uintptr_t address);
void mmio_put(uintptr_t address, uint32_t value);

#else

static inline uint32_t mmio_get(uintptr_t address) { return *(const volatile uint32_t *)address; }

static inline uint8_t mmio_get8(uintptr_t address) { return *(const volatile uint8_t *)address; }

static inline void mmio_put(uintptr_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

#endif

#endif
