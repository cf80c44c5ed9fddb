/* SPDX-License-Identifier: MIT */
/* Numbers for people: three digits and a unit. Each returns "text". */
#ifndef HOSTLINK_HUMAN_H
#define HOSTLINK_HUMAN_H

#include <stdint.h>

#define HUMAN_SIZE 32

/* "999 B", "1.23 kB", "45.6 MB" for the unit "B"; "1.23 k" for "". */
char *human_number(char text[HUMAN_SIZE], double value, const char *unit);
/* "12.3 ms", "45.6 s", "12 min 34 s", "3 h 12 min". */
char *human_time(char text[HUMAN_SIZE], uint64_t time_ns);

/* The noun for an amount: "one" for 1, else "many". */
const char *human_noun(uint64_t amount, const char *one, const char *many);
/* The same after the amount: "1 packet", "12 packets"; "many" of at most 24 characters. */
#define HUMAN_COUNT_SIZE 48
char *human_count(char text[HUMAN_COUNT_SIZE], uint64_t amount, const char *one, const char *many);

#endif
