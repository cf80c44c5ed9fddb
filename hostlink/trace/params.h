/* SPDX-License-Identifier: MIT */
/* The parameters of the board: their reported values, and the requested ones, which are sent again
 * until the board's answer agrees. Knows no clock and no line.
 *
 * Asking again is safe: only the last request for a parameter is sent, a board that gets it twice
 * has the same value, and a line keeps the order of the bytes it does not lose. Over a network each
 * sending is signed by itself, with a counter of its own (guard.h), so one that comes late is
 * refused. */
#ifndef HOSTLINK_PARAMS_H
#define HOSTLINK_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parameters from this number on cannot be set. */
#define PARAMS_MAX 128u
#define PARAM_NAME_BYTES 64u
/* Sendings of one request: the first after 250 and 500 ms, all others after 1 s. */
#define PARAM_TRIES_MAX 40u

enum param_wish {
    PARAM_NO_WISH,
    PARAM_ASKED,  /* the board has not answered with the value yet */
    PARAM_AGREED, /* it has: the value, or the bound next to it */
    PARAM_GIVEN_UP
};

struct param {
    uint32_t index; /* of its site */
    char name[PARAM_NAME_BYTES];
    int32_t has, minimum, maximum; /* as told last */
    enum param_wish wish;
    int32_t value; /* that is wished for */
    unsigned tries;
    uint64_t due_ns; /* next sending */
};

/* All zero is the start. */
struct params {
    struct param list[PARAMS_MAX];
    size_t count;
};

/* The board sent its value. True if that answers a request. */
bool params_answered(struct params *params, uint32_t index, const char *name, int32_t value,
                     int32_t minimum, int32_t maximum);
/* Asks for a value; false if the board has not reported such a parameter. */
bool params_ask(struct params *params, uint32_t index, int32_t value);
/* The length of a command to send now, 0 = no command. */
size_t params_next(struct params *params, uint64_t now_ns, uint8_t *out, size_t size);
/* The board was restarted: it has its first values, and maybe other parameters. */
void params_forget(struct params *params);
/* NULL if the board has not reported this name, which need not end by NUL. */
const struct param *params_find(const struct params *params, const char *name, size_t length);

#endif
