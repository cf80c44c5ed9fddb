/* SPDX-License-Identifier: MIT */
/* Counts the calls that a program makes of kymo, beside kymo: counted.cmake puts them in front of its functions. At
 * the end the counts go to the file that KYMO_COUNTED names, a line "KIND NUMBER" each. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>

#include "kymo/kymo.h"
#include "kymo/tracy.h"

#define COUNTED(X)                                                                                 \
    X(zone_begin, "zone begin")                                                                    \
    X(zone_end, "zone end")                                                                        \
    X(zone_text, "zone text")                                                                      \
    X(zone_value, "zone value")                                                                    \
    X(zone_color, "zone color")                                                                    \
    X(plot, "plot")                                                                                \
    X(plot_config, "plot config")                                                                  \
    X(message, "message")                                                                          \
    X(alloc, "alloc")                                                                              \
    X(free, "free")                                                                                \
    X(frame, "frame")                                                                              \
    X(fiber, "fiber")

#define COUNTER(name, text) static uint32_t count_##name;
COUNTED(COUNTER)
#define ADD(name) ((void)__atomic_fetch_add(&count_##name, 1u, __ATOMIC_RELAXED))

/* For a board, where nothing calls destructors, its program does. */
void kymo_counted_print(void);
__attribute__((destructor)) void kymo_counted_print(void) {
    const char *path = getenv("KYMO_COUNTED");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) {
        return;
    }
#define PRINT(name, text)                                                                          \
    (void)fprintf(file, text " %u\n", __atomic_load_n(&count_##name, __ATOMIC_RELAXED));
    COUNTED(PRINT)
    (void)fclose(file);
}

/* Counted by another call that makes this one. */
static __thread bool inside;

/* A refused zone has no end, text or value. */
#define WRAP(condition, counter, function, parameters, arguments)                                  \
    void __real_##function parameters;                                                             \
    void __wrap_##function parameters;                                                             \
    void __wrap_##function parameters {                                                            \
        if (condition) {                                                                           \
            ADD(counter);                                                                          \
        }                                                                                          \
        __real_##function arguments;                                                               \
    }

typedef const struct kymo_site *site;
WRAP(true, plot, kymo_plot_int, (site at, int64_t value), (at, value))
WRAP(true, plot, kymo_plot_float, (site at, uint32_t bits), (at, bits))
WRAP(true, plot, kymo_plot_double, (site at, uint64_t bits), (at, bits))
WRAP(true, plot_config, kymo_plot_config, (site at, uint32_t format, uint32_t color),
     (at, format, color))
WRAP(true, frame, kymo_frame, (site at), (at))
WRAP(true, fiber, kymo_tracy_fiber_enter, (const char *name), (name))
WRAP(true, message, kymo_message_text,
     (site at, const struct kymo_text *text, uint32_t color, uint32_t depth),
     (at, text, color, depth))
WRAP(zone != NULL, zone_end, kymo_zone_end, (kymo_zone zone), (zone))
WRAP(zone != NULL, zone_text, kymo_zone_text, (kymo_zone zone, const char *text, size_t length),
     (zone, text, length))
WRAP(zone != NULL, zone_value, kymo_zone_value, (kymo_zone zone, uint64_t value), (zone, value))
WRAP(zone != NULL, zone_color, kymo_zone_color, (kymo_zone zone, uint32_t color), (zone, color))

kymo_zone __real_kymo_zone_begin(site at);
kymo_zone __wrap_kymo_zone_begin(site at);
kymo_zone __wrap_kymo_zone_begin(site at) {
    if (!inside) {
        ADD(zone_begin);
    }
    return __real_kymo_zone_begin(at);
}

#if KYMO_TRACING_MODE >= 2
WRAP(!inside, alloc, kymo_alloc, (site pool, const void *address, size_t bytes),
     (pool, address, bytes))
WRAP(!inside, free, kymo_free, (site pool, const void *address), (pool, address))
#endif

#if KYMO_CALLSTACKS
kymo_zone __real_kymo_zone_begin_stack(site at, uint32_t depth);
kymo_zone __wrap_kymo_zone_begin_stack(site at, uint32_t depth);
kymo_zone __wrap_kymo_zone_begin_stack(site at, uint32_t depth) {
    ADD(zone_begin);
    inside = true;
    const kymo_zone zone = __real_kymo_zone_begin_stack(at, depth);
    inside = false;
    return zone;
}
#if KYMO_TRACING_MODE >= 2
void __real_kymo_alloc_stack(site pool, const void *address, size_t bytes, uint32_t depth);
void __wrap_kymo_alloc_stack(site pool, const void *address, size_t bytes, uint32_t depth);
void __wrap_kymo_alloc_stack(site pool, const void *address, size_t bytes, uint32_t depth) {
    ADD(alloc);
    inside = true;
    __real_kymo_alloc_stack(pool, address, bytes, depth);
    inside = false;
}
void __real_kymo_free_stack(site pool, const void *address, uint32_t depth);
void __wrap_kymo_free_stack(site pool, const void *address, uint32_t depth);
void __wrap_kymo_free_stack(site pool, const void *address, uint32_t depth) {
    ADD(free);
    inside = true;
    __real_kymo_free_stack(pool, address, depth);
    inside = false;
}
#endif
#endif
