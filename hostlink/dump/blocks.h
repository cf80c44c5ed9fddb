/* SPDX-License-Identifier: MIT */
/* The rings of a flight recorder (runtime/MEMORY.md, "Kind 2"): reads their blocks, run by run. */
#ifndef HOSTLINK_DUMP_BLOCKS_H
#define HOSTLINK_DUMP_BLOCKS_H

#include "dump/lanes.h"

/* A run of the board, from one start to the next. */
struct blocks_run {
    uint32_t number, session;
};

/* The runs that any lane remembers, the earliest first, at most "most" of them; returns how many. */
size_t blocks_runs(const struct recorder *recorder, struct blocks_run *runs, size_t most);
/* Reads a lane's events of a run. Returns 0, or the reader's value. */
int blocks_read(const struct recorder *recorder, uint32_t lane, const struct blocks_run *run,
                const struct lanes_reader *reader, struct lanes_report *report);

#endif
