/* SPDX-License-Identifier: MIT */
/* Interface of a fuzz test: one input in, and a crash, a sanitizer's report or abort() if something is wrong. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the correct input number "index" for main.c to damage; returns its length, at most "size". */
size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size);

/* The next number of a row that looks random. */
static inline uint32_t fuzz_next(uint32_t *random) {
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

/* Ends the program and says why: for what no sanitizer sees. */
_Noreturn void fuzz_wrong(const char *what);

#endif
