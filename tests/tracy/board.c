/* SPDX-License-Identifier: MIT */
/* The programs of Tracy's markup on a board: first the start-up of C++, then the same as host.c. */
#include "board.h"
#include "kymo/kymo.h"
#include "program.h"

extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

/* A global lock has a destructor, which on a board is never called. */
extern void *__dso_handle;
void *__dso_handle;
int __cxa_atexit(void (*function)(void *), void *argument, void *object);
int __cxa_atexit(void (*function)(void *), void *argument, void *object) {
    (void)function;
    (void)argument;
    (void)object;
    return 0;
}

int main(void) {
    for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end;
         constructor++) {
        (*constructor)();
    }
    markup_c();
    markup_cxx();
    board_init();
    kymo_init(board_transport(), "tracy");
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_exit(0);
}
