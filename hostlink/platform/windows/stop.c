/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include <stdlib.h>

#include "windows/descriptors.h"

/* Closing the window ends the program when its handler returns, and after some seconds in any case. */
#define CLOSE_MS 30000

static volatile LONG catches, wanted;

/* In a thread of its own. */
static BOOL WINAPI on_event(DWORD event) {
    if (!catches) {
        return FALSE;
    }
    wanted = 1;
    (void)SetEvent(descriptor_stop_event());
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) {
        Sleep(CLOSE_MS);
    }
    return TRUE;
}

void stop_catch(void) {
    if (!descriptor_stop_event()) {
        descriptor_set_stop_event(CreateEventW(NULL, TRUE, FALSE, NULL));
        (void)SetConsoleCtrlHandler(on_event, TRUE);
    }
    catches = 1;
}

void stop_release(void) { catches = 0; }

bool stop_wanted(void) { return wanted != 0; }

void stop_forget(void) {
    wanted = 0;
    (void)ResetEvent(descriptor_stop_event());
}

void stop_end(void) { exit((int)STATUS_CONTROL_C_EXIT); }

/* They are errors here. */
void stop_ignore_write_signals(void) {}
