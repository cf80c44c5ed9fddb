/* The static storage of the recorder, and its switch. All of it is valid when it is all zero, so
 * events may be recorded as soon as .bss is cleared. */
#include "newest.h"

#if KYMO_ENABLE

struct kymo_lane kymo_lanes[KYMO_LANES_ALL];
#if KYMO_KEEP_NEWEST
KYMO_NOINIT
#endif
uint32_t kymo_rings[KYMO_LANES][KYMO_RING_WORDS];
bool kymo_stopped, kymo_clock_stands;

/* So that the sections are there, and their bounds, in an image that has no site. */
#if KYMO_NAMES
__extension__ static const struct kymo_site no_site[0]
    __attribute__((KYMO_KEPT, section("kymo_sites"), aligned(8)));
#else
__extension__ static const struct kymo_site no_site[0]
    __attribute__((KYMO_KEPT, section("kymo_elf_sites"), aligned(8)));
__extension__ static const char no_text[0] __attribute__((KYMO_KEPT, section("kymo_elf_text")));
__extension__ static const struct kymo_param_place no_param[0]
    __attribute__((KYMO_KEPT, section("kymo_params")));
#endif

/* A clock of 32 kHz moves within a thousand looks, and a busy emulator may hold one for tens of milliseconds. */
#define CLOCK_LOOKS 0x100000u

/* A lane may sit between its look at kymo_stopped and its store of the limit: kymo_ring_calm() does
 * these in the opposite order, so one of the two sees the other. */
static void switch_to(bool stopped) {
    KYMO_STORE(kymo_stopped, stopped);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        kymo_ring_attention(&kymo_lanes[i]);
    }
}

void kymo_stop(void) { switch_to(true); }

void kymo_start(void) { switch_to(kymo_clock_stands); }

void kymo_keep_all_alive(void) {
    const kymo_clock_t now = (kymo_clock_t)kymo_arch_clock64();
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        kymo_ring_keep_alive(&kymo_lanes[i], now);
    }
}

void kymo_clock_check(void) {
    const kymo_clock_t start = kymo_arch_clock();
    bool stands = true;
    for (uint32_t looks = CLOCK_LOOKS; looks > 0u && stands; looks--) {
        stands = kymo_arch_clock() == start;
    }
    kymo_clock_stands = stands;
    switch_to(kymo_stopped || stands);
}

#endif
