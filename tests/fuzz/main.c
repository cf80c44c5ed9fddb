/* SPDX-License-Identifier: MIT */
/* Drives a fuzz test with damaged correct inputs, the same ones in each run.
 * Usage: fuzz_NAME [COUNT [FIRST]]: inputs FIRST to FIRST + COUNT - 1; a failure prints its number. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_BYTES 65536u
#define COUNT_DEFAULT 30000u

static uint64_t current;
static uint64_t state;

/* In gcc's and clang's sanitizers; absent without them. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* splitmix64: S. Vigna, public domain; any seed is a good one. */
static uint32_t pick(uint32_t below) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % below);
}

/* Async-signal-safe. */
static void say_number(void) {
    char text[] = "fuzz: input number 00000000000000000000\n";
    uint64_t rest = current;
    for (size_t i = sizeof text - 3; rest != 0; i--) {
        text[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(1);
    }
}

static void on_signal(int number) {
    say_number();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static size_t insert(uint8_t *data, size_t length, size_t at, size_t count) {
    if (count > INPUT_BYTES - length) {
        return length;
    }
    memmove(data + at + count, data + at, length - at);
    return length + count;
}

/* One damage of a random kind; returns the new length. */
static size_t damage(uint8_t *data, size_t length) {
    size_t at = pick((uint32_t)length + 1u);
    size_t count = 1u + pick(16u);
    switch (pick(7u)) {
    case 0: /* a bit */
        if (at < length) {
            data[at] ^= (uint8_t)(1u << pick(8u));
        }
        return length;
    case 1: /* a byte that is special to many formats */
        if (at < length) {
            data[at] = (uint8_t[]){0x00, 0x01, 0x7f, 0x80, 0xff}[pick(5u)];
        }
        return length;
    case 2: /* random bytes inserted */
        length = insert(data, length, at, count);
        for (size_t i = at; i < length && i < at + count; i++) {
            data[i] = (uint8_t)pick(256u);
        }
        return length;
    case 3: /* bytes lost */
        count = count < length - at ? count : length - at;
        memmove(data + at, data + at + count, length - at - count);
        return length - count;
    case 4: /* cut off */
        return at;
    case 5: /* a piece copied elsewhere */
        if (length > 0) {
            size_t from = pick((uint32_t)length);
            count = count < length - from ? count : length - from;
            count = count < length - at ? count : length - at;
            memmove(data + at, data + from, count);
        }
        return length;
    default: /* all noise */
        if (pick(50u) == 0u) {
            for (size_t i = 0; i < length; i++) {
                data[i] = (uint8_t)pick(256u);
            }
        }
        return length;
    }
}

static void run_one(uint64_t number) {
    static uint8_t data[INPUT_BYTES];
    current = number;
    state = number;
    size_t length = fuzz_seed((uint32_t)number, data, sizeof data);
    if (length > sizeof data) {
        fuzz_wrong("fuzz_seed() wrote more than there is room for");
    }
    /* Every eighth stays whole: correct input must pass as well. */
    for (uint32_t damages = number % 8u == 0u ? 0u : 1u + pick(6u); damages > 0u; damages--) {
        length = damage(data, length);
    }
    /* In memory of exactly that size, so that a read after it is seen. */
    uint8_t *copy = malloc(length > 0 ? length : 1);
    if (copy == NULL) {
        fuzz_wrong("no memory");
    }
    memcpy(copy, data, length);
    (void)LLVMFuzzerTestOneInput(copy, length);
    free(copy);
}

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT_DEFAULT;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0u;
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(say_number);
    }
    (void)signal(SIGABRT, on_signal);
    (void)signal(SIGSEGV, on_signal);
    (void)signal(SIGFPE, on_signal);
    for (uint64_t i = 0; i < count; i++) {
        run_one(first + i);
    }
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
