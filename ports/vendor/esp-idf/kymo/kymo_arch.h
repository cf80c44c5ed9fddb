/* SPDX-License-Identifier: MIT */
/* The arch port over ESP-IDF, for all its chips: clock, interrupt mask and core number are ESP-IDF's.
 *
 * On RISC-V the mask is the core's own (mstatus.MIE), so every interrupt may record. Elsewhere it is FreeRTOS's, and
 * interrupts above its level (ESP_INTR_FLAG_LEVEL4 and up) must not record. The recorder's code is in flash: on every
 * chip, interrupts that run while the flash is written (ESP_INTR_FLAG_IRAM) must not record. */
#ifndef KYMO_ARCH_ESP_IDF_H
#define KYMO_ARCH_ESP_IDF_H

#include <stdint.h>

#include "esp_cpu.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "kymo/config.h"
#include "kymo/language.h"
#include "sdkconfig.h"

KYMO_C_BEGIN

#define KYMO_ARCH_ATOMIC 0

#if defined(__riscv) && !defined(CONFIG_SECURE_ENABLE_TEE)

/* MIE is bit 3 of mstatus. Setting bits, and not the old value, keeps the bits that a trap set meanwhile. */
typedef unsigned long kymo_arch_state;
static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before)::"memory");
    return before;
}
static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("csrs mstatus, %0" ::"r"(before & 8u) : "memory");
}

#else

typedef UBaseType_t kymo_arch_state;
static inline kymo_arch_state kymo_arch_mask(void) {
    const kymo_arch_state before = (kymo_arch_state)portSET_INTERRUPT_MASK_FROM_ISR();
    __asm__ volatile("" ::: "memory");
    return before;
}
static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("" ::: "memory");
    portCLEAR_INTERRUPT_MASK_FROM_ISR(before);
}

#endif

static inline uintptr_t kymo_arch_lane(void) {
#if KYMO_LANE_ASKED
    return (uintptr_t)xPortGetCoreID();
#else
    return 0u;
#endif
}

#ifdef CONFIG_KYMO_CLOCK_CYCLES

/* The clock of one core, at one rate: Kconfig says where. kymo_esp.c counts the wraps. */
typedef uint32_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 32
static inline kymo_clock_t kymo_arch_clock(void) { return esp_cpu_get_cycle_count(); }
uint64_t kymo_arch_clock64(void);
static inline uint64_t kymo_arch_clock_hz(void) {
    return (uint64_t)CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ * 1000000u;
}

#else

/* One clock for all cores, which goes on when the CPU's frequency changes and in light sleep. */
typedef uint64_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 64
static inline kymo_clock_t kymo_arch_clock(void) { return (uint64_t)esp_timer_get_time(); }
static inline uint64_t kymo_arch_clock64(void) { return kymo_arch_clock(); }
static inline uint64_t kymo_arch_clock_hz(void) { return 1000000u; }

#endif

KYMO_C_END

#define KYMO_ARCH_NAME CONFIG_IDF_TARGET

#endif
