/* SPDX-License-Identifier: MIT */
/* Common to both kinds of rings that keep the newest: the fingerprint of the image, and heads of blocks. */
#include "newest.h"

#if KYMO_ENABLE && KYMO_KEEP_NEWEST

struct kymo_run kymo_run;

#if KYMO_NAMES
static uint32_t sum_of_sites(uint32_t sum) {
    const uint32_t *end = (const uint32_t *)(const void *)__stop_kymo_sites;
    for (const uint32_t *word = (const uint32_t *)(const void *)__start_kymo_sites; word != end;
         word++) {
        sum = kymo_sum_add(sum, *word);
    }
    return sum;
}
#else
static uint32_t sum_of_sites(uint32_t sum) { return kymo_sum_add(sum, kymo_image_identity()); }
#endif

/* Sums the rings' form and the table of sites: events of another image would name wrong sites. */
static uint32_t fingerprint(void) {
    uint32_t sum = kymo_sum_add(KYMO_RING_BYTES, BLOCK_BYTES);
    sum = kymo_sum_add(sum, (uint32_t)(uintptr_t)__start_kymo_sites);
    return sum_of_sites(sum);
}

/* Concurrent callers find the same value. */
void kymo_know_image(void) {
    if (KYMO_LOAD(kymo_run.fingerprint) == 0u) {
        KYMO_STORE(kymo_run.fingerprint, fingerprint());
    }
}

bool kymo_block_read(const struct kymo_lane *lane, uint32_t number, struct kymo_block *head) {
    const uint32_t *block = kymo_block_at(lane, number);
    uint32_t *words = (uint32_t *)(void *)head;
    for (uint32_t i = 0u; i < KYMO_BLOCK_HEAD_WORDS; i++) {
        words[i] = KYMO_LOAD(block[i]);
    }
    return head->number == number && number != 0u &&
           head->check == kymo_block_check(kymo_run.fingerprint, words + 1);
}

/* Single stores, of which no compiler makes a call of memset(). */
void kymo_block_begin(const struct kymo_lane *lane, const struct kymo_block *head, uint32_t zeros) {
    uint32_t *words = kymo_block_at(lane, head->number);
    const uint32_t *from = (const uint32_t *)(const void *)head;
    KYMO_RELEASE();
    KYMO_PUBLISH(words[0], 0u);
    KYMO_RELEASE();
    for (uint32_t i = 1u; i < KYMO_BLOCK_HEAD_WORDS; i++) {
        KYMO_STORE(words[i], from[i]);
    }
    for (uint32_t i = 0u; i < zeros; i++) {
        KYMO_STORE(words[KYMO_BLOCK_HEAD_WORDS + i], 0u);
    }
    KYMO_PUBLISH(words[0], kymo_block_check(kymo_run.fingerprint, from + 1));
}

#endif
