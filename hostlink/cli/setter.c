/* SPDX-License-Identifier: MIT */
#include "cli/setter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/say.h"

/* Size of the parameters' names in a message. */
#define NAMES_BYTES 256u

int setter_add(struct setter *setter, const char *text) {
    const char *sign = strchr(text, '=');
    char *end = NULL;
    errno = 0;
    long value = sign ? strtol(sign + 1, &end, 0) : 0;
    if (!sign || sign == text || end == sign + 1 || *end != '\0' || errno != 0 ||
        value < INT32_MIN || value > INT32_MAX) {
        return -EINVAL;
    }
    if (setter->count == SETTER_MAX) {
        return -E2BIG;
    }
    setter->wishes[setter->count++] =
        (struct setter_wish){text, (size_t)(sign - text), (int32_t)value, false};
    return 0;
}

static int on_param(void *state, uint32_t index, const char *name, int32_t value, bool is_switch) {
    struct setter *setter = state;
    (void)value, (void)is_switch;
    for (size_t i = 0; i < setter->count; i++) {
        struct setter_wish *wish = &setter->wishes[i];
        if (!wish->asked && setter->viewer.set_param && strlen(name) == wish->length &&
            memcmp(name, wish->name, wish->length) == 0) {
            wish->asked = true;
            setter->viewer.set_param(setter->viewer.board, index, wish->value);
        }
    }
    return 0;
}

static bool wants_param(void *state) {
    const struct setter *setter = state;
    for (size_t i = 0; i < setter->count; i++) {
        if (!setter->wishes[i].asked) {
            return true;
        }
    }
    return false;
}

/* A board that was restarted has its first values again. */
static int on_event(void *state, const struct event *event) {
    struct setter *setter = state;
    for (size_t i = 0; i < setter->count && event->kind == EVENT_SESSION; i++) {
        setter->wishes[i].asked = false;
    }
    return 0;
}

void setter_start(struct setter *setter) {
    setter->viewer = (struct viewer){.consumer = {"parameters", setter, .event = on_event},
                                     .wants_param = wants_param,
                                     .param = on_param};
}

/* Reports a parameter that the board has. */
static bool report_known(const struct param *param, const char *cure) {
    if (param->wish == PARAM_NO_WISH) {
        return true;
    }
    if (param->wish != PARAM_AGREED && param->tries == 0) {
        say("%s=%" PRId32 ": was not sent; %s", param->name, param->value,
            cure ? cure : "capture longer");
        return false;
    }
    if (param->wish != PARAM_AGREED) {
        say("%s=%" PRId32 ": sent %u times and not obeyed, the board has %" PRId32 "; %s",
            param->name, param->value, param->tries, param->has,
            cure ? cure
                 : "check the wire to its receive pin, or let it call kymo_drain() more often");
        return false;
    }
    if (param->has != param->value) {
        say("%s: the board has %" PRId32 " instead of %" PRId32 ", its bounds are %" PRId32
            " and %" PRId32,
            param->name, param->has, param->value, param->minimum, param->maximum);
    }
    return true;
}

/* The names that there are, or the one that was meant. */
static void say_names(const struct setter_wish *wish, const struct params *params) {
    char typed[PARAM_NAME_BYTES], names[NAMES_BYTES] = "";
    size_t used = 0;
    (void)snprintf(typed, sizeof typed, "%.*s", (int)wish->length, wish->name);
    struct nearest nearest = {.typed = typed};
    for (size_t i = 0; i < params->count; i++) {
        const char *name = params->list[i].name;
        const int length = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", name);
        used += (size_t)length < sizeof names - used ? (size_t)length : 0;
        names[used] = '\0';
        nearest_try(&nearest, name);
    }
    if (nearest.word != NULL) {
        say("%s: the board reported no parameter of this name; did you mean '%s'?", typed,
            nearest.word);
    } else {
        say("%s: the board reported no parameter of this name; check the name (it has %s), or "
            "capture longer",
            typed, used != 0 ? names : "none so far");
    }
}

static void report_unknown(const struct setter_wish *wish, const struct params *params,
                           const char *cure) {
    if (cure) {
        say("%.*s=%" PRId32 ": was not sent; %s", (int)wish->length, wish->name, wish->value, cure);
    } else {
        say_names(wish, params);
    }
}

bool setter_report(const struct setter *setter, const struct params *params, const char *cure) {
    bool arrived = true;
    for (size_t i = 0; i < setter->count; i++) {
        const struct setter_wish *wish = &setter->wishes[i];
        if (!wish->asked || !params_find(params, wish->name, wish->length)) {
            report_unknown(wish, params, cure);
            arrived = false;
        }
    }
    for (size_t i = 0; i < params->count; i++) {
        arrived = report_known(&params->list[i], cure) && arrived;
    }
    return arrived;
}
