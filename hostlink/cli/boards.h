/* SPDX-License-Identifier: MIT */
/* The boards of a capture of several as one stream of events: of each first the names, then the clock, then all events
 * together. */
#ifndef HOSTLINK_BOARDS_H
#define HOSTLINK_BOARDS_H

#include "capture/replay.h"
#include "trace/pipeline.h"

struct boards;
struct receivers;

/* Adds the counts of one board; a text stays that of the first board that has it. */
void boards_add_totals(struct pipeline_totals *sum, const struct pipeline_totals *one);

/* "replay" is a capture of several, and must stay open. NULL: no memory. */
struct boards *boards_new(struct replay *replay);
/* The first passes. 0, or -errno, which was reported. */
int boards_learn(struct boards *boards, const struct receivers *receivers);
/* The last one, once. "callbacks" are those of a pipeline of one board; its host and param are not called. 0, or
 * -errno, which was reported. */
int boards_deliver(struct boards *boards, const struct pipeline_callbacks *callbacks);
/* The totals of all boards, as boards_add_totals() adds them. */
void boards_totals(const struct boards *boards, struct pipeline_totals *totals);
/* Prints the bound of each clock's error, and warns of flows that are shorter than it. NULL: there is one board. */
void boards_say(const struct boards *boards);
void boards_free(struct boards *boards);

/* The name of a board whose capture has this path: without folder and suffix. "size" is at least 8. */
void boards_name(char *name, size_t size, const char *path);
/* If names[number] is that of one before it, it gets a number. */
void boards_tell_apart(struct replay_board *list, uint32_t number);

#endif
