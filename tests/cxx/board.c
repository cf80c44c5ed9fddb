/* SPDX-License-Identifier: MIT */
/* The program on a board: first the start-up of C++, then the same as host.cpp. */
#include "board.h"
#include "program.h"

extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

int main(void) {
    for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end;
         constructor++) {
        (*constructor)();
    }
    workload();
    board_init();
    kymo_init(board_transport(), "C++");
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_exit(0);
}
