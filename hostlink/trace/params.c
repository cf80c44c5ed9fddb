/* SPDX-License-Identifier: MIT */
#include "trace/params.h"

#include <string.h>

#include "base/host_clock.h"
#include "base/utf8.h"
#include "trace/pipeline.h"
#include "wire/command.h"

#define FIRST_WAIT_NS (250 * NS_PER_MS)
#define LONGEST_WAIT_NS NS_PER_S

static struct param *at_index(struct params *params, uint32_t index) {
    for (size_t i = 0; i < params->count; i++) {
        if (params->list[i].index == index) {
            return &params->list[i];
        }
    }
    return NULL;
}

/* The value on a board that has received the request, as the board keeps to its bounds. */
static int32_t bounded(const struct param *param) {
    return param->value < param->minimum   ? param->minimum
           : param->value > param->maximum ? param->maximum
                                           : param->value;
}

/* An answer that does not agree may have been on its way before the command came. One that
 * disagrees after an agreement was not: the command was overtaken by an older one's answer, or
 * another host has set the parameter. */
static bool judge(struct param *param) {
    if (param->wish == PARAM_NO_WISH) {
        return false;
    }
    if (param->has == bounded(param)) {
        param->wish = PARAM_AGREED;
        return true;
    }
    if (param->wish == PARAM_AGREED) {
        param->wish = PARAM_ASKED;
    }
    return false;
}

bool params_answered(struct params *params, uint32_t index, const char *name, int32_t value,
                     int32_t minimum, int32_t maximum) {
    struct param *param = at_index(params, index);
    if (!param) {
        if (params->count == PARAMS_MAX) {
            return false;
        }
        param = &params->list[params->count++];
        *param = (struct param){.index = index};
    }
    utf8_clean(param->name, sizeof param->name, name, strlen(name));
    param->has = value;
    param->minimum = minimum;
    param->maximum = maximum;
    return judge(param);
}

bool params_ask(struct params *params, uint32_t index, int32_t value) {
    struct param *param = at_index(params, index);
    if (!param) {
        return false;
    }
    param->wish = PARAM_ASKED;
    param->value = value;
    param->tries = 0;
    param->due_ns = 0;
    return true;
}

static uint64_t wait_ns(const struct param *param) {
    uint64_t wait = FIRST_WAIT_NS << (param->tries < 4u ? param->tries : 4u);
    return wait < LONGEST_WAIT_NS ? wait : LONGEST_WAIT_NS;
}

/* The one that waits longest. */
size_t params_next(struct params *params, uint64_t now_ns, uint8_t *out, size_t size) {
    struct param *next = NULL;
    for (size_t i = 0; i < params->count; i++) {
        struct param *param = &params->list[i];
        if (param->wish == PARAM_ASKED && now_ns >= param->due_ns &&
            (!next || param->due_ns < next->due_ns)) {
            next = param;
        }
    }
    if (!next) {
        return 0;
    }
    if (next->tries == PARAM_TRIES_MAX) {
        next->wish = PARAM_GIVEN_UP;
        return 0;
    }
    next->due_ns = now_ns + wait_ns(next);
    next->tries++;
    return command_set_param(out, size, next->index, next->value);
}

void params_forget(struct params *params) { params->count = 0; }

const struct param *params_find(const struct params *params, const char *name, size_t length) {
    for (size_t i = 0; i < params->count; i++) {
        const struct param *param = &params->list[i];
        size_t kept = length < PARAM_NAME_BYTES - 1u ? length : PARAM_NAME_BYTES - 1u;
        if (strlen(param->name) == kept && memcmp(param->name, name, kept) == 0) {
            return param;
        }
    }
    return NULL;
}
