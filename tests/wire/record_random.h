/* SPDX-License-Identifier: MIT */
/* Random values for record_cases.c, and the form of its sites. Included by it alone. */
#ifndef TESTS_RECORD_RANDOM_H
#define TESTS_RECORD_RANDOM_H

#include <stdint.h>

#define SITE(kind_, name_, detail_)                                                                \
    {                                                                                              \
        .name = (name_), .function = "record", .file = "cases.c", .detail = (detail_),             \
        .kind = (kind_)                                                                            \
    }
#define ZONE_SITE SITE(KYMO_SITE_ZONE, "zone", 0u)
#define ZONE_SITES_10                                                                              \
    ZONE_SITE, ZONE_SITE, ZONE_SITE, ZONE_SITE, ZONE_SITE, ZONE_SITE, ZONE_SITE, ZONE_SITE,        \
        ZONE_SITE, SITE(KYMO_SITE_ZONE, NULL, 0u)

static uint64_t random_state;

#define OBJECTS 6u

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled"). */
static uint64_t random_bits(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(uint32_t limit) { return (uint32_t)(random_bits() >> 33) % limit; }

/* Numbers of any length in bits, all lengths equally likely, and both ends. */
static uint64_t any_number(void) {
    uint64_t bits = random_bits() >> below(64u);
    uint32_t choice = below(8u);
    return choice == 0u ? 0u : choice == 1u ? UINT64_MAX : choice < 4u ? 0u - bits : bits;
}

static double any_double(void) {
    static const double chosen[] = {0.0, -1.5, 1e300, 4.9e-324, 3.141592653589793, -0.1};
    return below(2u) == 0u ? chosen[below(6u)] : (double)(int64_t)any_number() / 1024.0;
}

static const char *any_text(void) {
    static const char *const texts[] = {"",
                                        "a",
                                        "abc",
                                        "four",
                                        "a \"quoted\" one",
                                        "gr\303\274\303\237e",
                                        "longer than what a small payload can take, by some words"};
    return texts[below(7u)];
}

/* Side by side, and the same in the low word. */
static uint64_t any_object(void) {
    const uint32_t number = below(OBJECTS);
    return 0x20000004u + 4u * (number / 2u) + ((uint64_t)(number % 2u) << 40);
}

#endif
