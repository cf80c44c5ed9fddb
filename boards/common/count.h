/* SPDX-License-Identifier: MIT */
/* Records and counts: the macros with which the demo emits every event of its trace, so that it can
 * say at its end how many there were, without asking the recorder.
 *
 * Each place has a counter of its own in the linker section "demo_counts". A place must be reached by
 * one core, and there by main code or by an interrupt, not both: then no increment can be torn and no
 * atomics are needed. Define DEMO_CORE (0 or 1) before including this: the core that runs the file.
 * Names must be single words, and each in one place. */
#ifndef COUNT_H
#define COUNT_H

#include <stdint.h>

#include "kymo/kymo.h"
#include "text.h"

enum count_kind {
    COUNT_ZONE, /* two events: begin and end */
    COUNT_NOTE, /* text, name, value or colour of a zone; application information */
    COUNT_MESSAGE,
    COUNT_PLOT,
    COUNT_FRAME,
    COUNT_ALLOC,
    COUNT_FREE,
    COUNT_SWITCH, /* an interrupt: two events, there and back */
    COUNT_KINDS
};

struct count {
    const char *name;
    uint32_t times;
    uint8_t kind; /* enum count_kind */
    uint8_t core;
};

/* Prints a line (or more, if it gets long) for each kind: "demo: zones TIMES NAME TIMES NAME ...",
 * where the first number is the sum of the later ones, then the events of each core and the sum.
 * Not while another core or an interrupt is still counting. */
void count_report(void (*print)(const struct text *line));

#if KYMO_ENABLE

#define COUNT_(kind_, name_)                                                                       \
    do {                                                                                           \
        /* "used", or clang splits the struct into the fields that this file uses. */              \
        static struct count count_here                                                             \
            __attribute__((used, section("demo_counts"), aligned(_Alignof(struct count)))) = {     \
                (name_), 0u, (kind_), DEMO_CORE};                                                  \
        count_here.times++;                                                                        \
    } while (0)

#else

#define COUNT_(kind_, name_) (void)0

#endif

/* Two statements, as the second one declares the zone of the enclosing block. */
#define DEMO_ZONE(name)                                                                            \
    COUNT_(COUNT_ZONE, name);                                                                      \
    KYMO_ZONE(name)
#define DEMO_ZONE_COLORED(name, rgb)                                                               \
    COUNT_(COUNT_ZONE, name);                                                                      \
    KYMO_ZONE_COLORED(name, rgb)
#define DEMO_ZONE_NAMED(ident, name)                                                               \
    COUNT_(COUNT_ZONE, name);                                                                      \
    KYMO_ZONE_NAMED(ident, name)
#define DEMO_BEGIN(ident, name)                                                                    \
    COUNT_(COUNT_ZONE, name);                                                                      \
    KYMO_BEGIN(ident, name)
#define DEMO_INTERRUPT(ident, name)                                                                \
    COUNT_(COUNT_SWITCH, name);                                                                    \
    KYMO_INTERRUPT(ident)

/* One event each; "call" is the macro of kymo that records it. */
#define DEMO_EVENT_(kind, name, call)                                                              \
    do {                                                                                           \
        COUNT_(kind, name);                                                                        \
        call;                                                                                      \
    } while (0)

#define DEMO_ZONE_VALUE(ident, value)                                                              \
    DEMO_EVENT_(COUNT_NOTE, "value", KYMO_ZONE_VALUE(ident, value))
#define DEMO_ZONE_TEXT(ident, text, length)                                                        \
    DEMO_EVENT_(COUNT_NOTE, "text", KYMO_ZONE_TEXT(ident, text, length))
#define DEMO_APP_INFO(text, length) DEMO_EVENT_(COUNT_NOTE, "info", KYMO_APP_INFO(text, length))
/* The counter's name comes first, as a format is not a word. */
#define DEMO_MESSAGE(name, ...) DEMO_EVENT_(COUNT_MESSAGE, name, KYMO_MESSAGE(__VA_ARGS__))
#define DEMO_MESSAGE_LEVEL(name, level, ...)                                                       \
    DEMO_EVENT_(COUNT_MESSAGE, name, KYMO_MESSAGE_LEVEL(level, __VA_ARGS__))
#define DEMO_PLOT(name, value) DEMO_EVENT_(COUNT_PLOT, name, KYMO_PLOT(name, value))
#define DEMO_PLOT_CONFIG(name, value, format, rgb)                                                 \
    DEMO_EVENT_(COUNT_PLOT, name, KYMO_PLOT_CONFIG(name, value, format, rgb))
#define DEMO_FRAME(name) DEMO_EVENT_(COUNT_FRAME, name, KYMO_FRAME())
#define DEMO_FRAME_NAMED(name) DEMO_EVENT_(COUNT_FRAME, name, KYMO_FRAME_NAMED(name))
#define DEMO_ALLOC(name, pool, address, bytes)                                                     \
    DEMO_EVENT_(COUNT_ALLOC, name, KYMO_ALLOC(pool, address, bytes))
#define DEMO_FREE(name, pool, address) DEMO_EVENT_(COUNT_FREE, name, KYMO_FREE(pool, address))

#endif
