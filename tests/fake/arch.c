#include "kymo_arch.h"

#include <stddef.h>

uint64_t fake_clock_ticks = 1000u;
uint64_t fake_clock_step = 1u;
uint64_t fake_clock_hz = 1000000u;
uintptr_t fake_lane;
void (*fake_interrupt)(void);
unsigned fake_mask_depth;

#if !KYMO_ARCH_ATOMIC

unsigned fake_mask(void) { return fake_mask_depth++; }

void fake_unmask(unsigned state) {
    if (state == 0u && fake_interrupt != NULL) {
        void (*handler)(void) = fake_interrupt;
        fake_interrupt = NULL; /* one strike each, unless the handler asks for the next */
        handler();
    }
    fake_mask_depth = state;
}

#endif
