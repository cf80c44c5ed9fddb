/* SPDX-License-Identifier: MIT */
/* A board that was heard and sends no more. One that runs sends its status each second, also when it
 * records nothing. */
#ifndef HOSTLINK_SILENCE_H
#define HOSTLINK_SILENCE_H

#include <stdint.h>

#include "cli/findings.h"
#include "cli/live.h"

/* The board's silence so far; 0: it sends, has finished, or is unplugged and waited for. */
uint64_t silence_ns(const struct live *live);
/* Reports it, once in a capture. */
void silence_hint(struct live *live);
/* The board's state at the end of the capture: final status, still sending, or silent; and its resets. */
void silence_of_end(const struct findings *to, const struct live *live);

#endif
