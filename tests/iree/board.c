/* SPDX-License-Identifier: MIT */
/* The programs on a board, and a worker's rounds in its main loop. */
#include "tracing.h"

#include "board.h"
#include "kymo/kymo.h"
#include "program.h"

#define ROUNDS 150u

int main(void) {
    int status = calls_c();
    status = status != 0 ? status : calls_cxx();
    board_init();
    kymo_init(board_transport(), "iree");
    for (unsigned round = 0u; round < ROUNDS; round++) {
        worker_round(0u, round);
        while (kymo_pending()) {
            (void)kymo_drain(0u);
        }
    }
    fiber_begins();
    fiber_ends();
    IREE_TRACE_APP_EXIT(status);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_exit(status);
}
