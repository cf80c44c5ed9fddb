/* SPDX-License-Identifier: MIT */
/* Declarations of Tracy's client by a binding of another language, none of them from a header of Tracy's or kymo's. */
#ifndef BINDINGS_H
#define BINDINGS_H

#include <stddef.h>
#include <stdint.h>

struct place {
    const char *name, *function, *file;
    uint32_t line, color;
};
struct zone {
    uint32_t id;
    int32_t active;
};

/* bindings_0_13.c: the functions that 0.14 has in another form, or not at all. */
void call_0_13(void);

#endif
