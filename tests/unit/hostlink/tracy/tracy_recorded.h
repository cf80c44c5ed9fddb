/* SPDX-License-Identifier: MIT */
/* Recordings of real viewers. */
#ifndef TRACY_RECORDED_H
#define TRACY_RECORDED_H

#include <stddef.h>
#include <stdint.h>

struct tracy_recorded {
    uint32_t protocol;
    const char *release; /* of Tracy */
    const char *hex;
};

/* Ended by a NULL release. */
extern const struct tracy_recorded tracy_recorded[];

#endif
