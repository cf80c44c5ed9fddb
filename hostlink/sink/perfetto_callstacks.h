/* SPDX-License-Identifier: MIT */
/* Call stacks in Perfetto's trace: numbered, and sent once a sequence. */
#ifndef HOSTLINK_PERFETTO_CALLSTACKS_H
#define HOSTLINK_PERFETTO_CALLSTACKS_H

#include "sink/perfetto_writer.h"

/* So many call stacks are numbered; later ones are written out in each event. */
#define PERFETTO_STACKS_MAX 32768u

/* A field of the event that is being written; "stack" NULL = nothing. */
static inline void perfetto_stack(struct perfetto_writer *writer, const struct callstack *stack);
/* The number of a sample's call stack, which has no other form: beyond the limit only its instruction; 0 = none. */
uint64_t perfetto_sampled_stack(struct perfetto_writer *writer, const struct callstack *stack);
/* Private to it. */
void perfetto_put_stack(struct perfetto_writer *writer, const struct callstack *stack);

static inline void perfetto_stack(struct perfetto_writer *writer, const struct callstack *stack) {
    if (stack != NULL && stack->count != 0) {
        perfetto_put_stack(writer, stack);
    }
}

#endif
