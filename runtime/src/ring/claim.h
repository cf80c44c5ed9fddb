/* SPDX-License-Identifier: MIT */
/* Words that several contexts change, on one core or on several: each change is one step, without a loop. */
#ifndef KYMO_CLAIM_H
#define KYMO_CLAIM_H

#include "kymo/arch.h"
#include "lane.h"

#if __GCC_ATOMIC_INT_LOCK_FREE == 2

#define KYMO_CLAIM_ONE_LANE 0

/* True if the word was "from": it is "to" then. */
static inline bool kymo_claim(uint32_t *word, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Returns the previous value of the word. */
static inline uint32_t kymo_claim_add(uint32_t *word, uint32_t count) {
    return __atomic_fetch_add(word, count, __ATOMIC_ACQ_REL);
}

#else

/* A core without atomic instructions has one lane, whose other contexts are its interrupts. */
#define KYMO_CLAIM_ONE_LANE 1

static inline bool kymo_claim(uint32_t *word, uint32_t from, uint32_t to) {
    const kymo_arch_state state = kymo_arch_mask();
    const bool is_free = KYMO_LOAD(*word) == from;
    if (is_free) {
        KYMO_STORE(*word, to);
    }
    kymo_arch_unmask(state);
    return is_free;
}

static inline uint32_t kymo_claim_add(uint32_t *word, uint32_t count) {
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t before = KYMO_LOAD(*word);
    KYMO_STORE(*word, before + count);
    kymo_arch_unmask(state);
    return before;
}

#endif

#endif
