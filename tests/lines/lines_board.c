/* SPDX-License-Identifier: MIT */
/* A board whose samples are known: 30 met the first instruction of hot(), 10 that of cold(), 5 nothing that has a name.
 * With the argument "none" it takes none. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"

static volatile uint32_t after;

__attribute__((noinline)) void hot(void);
__attribute__((noinline)) void cold(void);

void hot(void) {
    after++;
    after += 3u;
}

void cold(void) {
    after = after + 2u;
    after = after * 3u;
}

static size_t write_line(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    return fwrite(bytes, 1, length, stdout);
}

/* A sample of the return address as on a stack: one more than the instruction. */
static void sample(uintptr_t instruction, uint32_t missed) {
    const uint64_t address = (uint64_t)instruction + 1u;
    const uint32_t stack[3] = {1u, (uint32_t)address, (uint32_t)(address >> 32)};
    const uint32_t words[2] = {1000u, missed};
    const struct kymo_long prefix = {.kind = KYMO_KIND_CALLSTACK, .count = 3u, .words = stack};
    const struct kymo_long event = {.kind = KYMO_KIND_SAMPLE, .count = 2u, .words = words};
    kymo_ring_long_with(&prefix, &event);
    fake.clock += 1000000u;
    while (kymo_drain(0)) {}
}

int main(int argc, char **argv) {
    static const struct kymo_transport transport = {.write = write_line};
    fake_reset();
    fake.clock_hz = 1000000000;
    kymo_init(&transport, "lines");
    fake.clock_step = 0;
    for (uint32_t i = 0; i < 45u && !(argc > 1 && strcmp(argv[1], "none") == 0); i++) {
        sample(i % 3u != 0u ? (uintptr_t)hot : i % 9u < 6u ? (uintptr_t)cold : 0x10u, i == 7u);
    }
    KYMO_APP_INFO("end", 3);
    kymo_finish();
    while (kymo_pending() || kymo_drain(0)) {
        fake.clock += 100000;
        (void)kymo_drain(0);
    }
    return 0;
}
