/* SPDX-License-Identifier: MIT */
/* Events as lines of text, in the words of wire_decoder.py and wire_session.py. */
#ifndef TESTS_WIRE_LINES_H
#define TESTS_WIRE_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "model/event.h"
#include "wire/decode.h"

/* KIND ticks=... reference=... words=..., and a newline. */
void print_wire_event(FILE *out, const struct wire_event *event);

/* True for the board's own events, false for hostlink's: sessions, tracks, zones that it closed, the cost of
 * a damaged link. */
bool is_of_the_board(const struct event *event);
/* Prints the meaning of such an event, without its time and context. No newline. */
void print_meaning(FILE *out, const struct event *event);
/* In quotes, with " \ newline and tab escaped: no other character of the texts compared needs it. */
void print_quoted(FILE *out, const char *text, size_t length);

#endif
