/* SPDX-License-Identifier: MIT */
/* An application with kymo: 200 rounds of work, then the end of the trace. */
#include "board.h"
#include "kymo/kymo.h"

#define ROUNDS 200u

static uint32_t sum;

static void step(uint32_t number) {
    KYMO_ZONE("step"); /* from here to the end of the block */
    for (uint32_t i = 0; i < 100u; i++) {
        sum = sum * 33u + (i ^ number);
    }
}

static void work(uint32_t round) {
    KYMO_FUNCTION(); /* a zone with the function's name */
    step(round);
    step(round + 1u);
    KYMO_PLOT("sum", (int)(sum & 0xffu));
    if (round % 20u == 0u) {
        KYMO_MESSAGE("round %u", (unsigned)round);
    }
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "my firmware");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        work(round);
        while (kymo_drain(0u)) {} /* where a real one waits for its next work */
    }
    kymo_finish(); /* only a program that ends needs it */
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_off();
    for (;;) {
        (void)kymo_drain(0u);
    }
}
