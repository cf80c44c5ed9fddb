/* SPDX-License-Identifier: MIT */
/* Numbers as text, for inner loops that printf() is too slow for. */
#ifndef HOSTLINK_DECIMAL_H
#define HOSTLINK_DECIMAL_H

#include <stdint.h>

/* The most that decimal_put() writes. */
#define DECIMAL_BYTES 20u

/* Writes the number in decimal digits and returns the end. */
char *decimal_put(char *at, uint64_t value);
/* The same in hexadecimal digits, as few as possible. */
char *hexadecimal_put(char *at, uint64_t value);
/* In exactly three decimal digits, of a value below 1000. */
char *decimal_put_three(char *at, unsigned value);

#endif
