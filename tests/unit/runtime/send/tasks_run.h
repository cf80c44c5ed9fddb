/* SPDX-License-Identifier: MIT */
/* A board whose tasks come and go, and hostlink's final result. */
#ifndef TASKS_RUN_H
#define TASKS_RUN_H

#include <stdint.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "send/contexts.h"
#include "trace/pipeline.h"

extern const struct kymo_site *const tasks_work; /* a zone */
extern uint64_t emitted;                         /* events that the firmware recorded */

/* After read_back(). */
extern struct tasks_seen {
    uint64_t ended[ZONE_REPAIRS], frames, lost;
    uint32_t last_row;
    uint64_t rows; /* in which a task's end closed zones */
} seen;

/* For cmocka: a board that was just started. */
int set_up(void **state);
void drain(void);
/* Ends the run, and looks at all of it; delivered and lost must come to "emitted". */
void read_back(void);

/* Each is an event. */
void switch_to(uintptr_t lane, kymo_context context);
void begin(void);
void end_context(uintptr_t lane, kymo_context context);

#endif
