#include "cli/setter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"

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
        (struct setter_wish){text, (size_t)(sign - text), (int32_t)value, 0, false};
    return 0;
}

/* The board answers a wish by telling the value again, but may have told the old one once more before:
 * what it told last counts. */
static int on_param(void *state, uint32_t index, const char *name, int32_t value) {
    struct setter *setter = state;
    for (size_t i = 0; i < setter->count; i++) {
        struct setter_wish *wish = &setter->wishes[i];
        if (strlen(name) != wish->length || memcmp(name, wish->name, wish->length) != 0) {
            continue;
        }
        wish->told = value;
        if (!wish->sent && setter->viewer.set_param) {
            wish->sent = true;
            setter->viewer.set_param(setter->viewer.board, index, wish->value);
        }
    }
    return 0;
}

/* A board that was started anew has its first values again. */
static int on_event(void *state, const struct event *event) {
    struct setter *setter = state;
    for (size_t i = 0; i < setter->count && event->kind == EVENT_SESSION; i++) {
        setter->wishes[i].sent = false;
    }
    return 0;
}

void setter_start(struct setter *setter) {
    setter->viewer = (struct viewer){
        .name = "parameters", .state = setter, .event = on_event, .param = on_param};
}

void setter_report(const struct setter *setter) {
    for (size_t i = 0; i < setter->count; i++) {
        const struct setter_wish *wish = &setter->wishes[i];
        if (!wish->sent) {
            say("%.*s: the board told of no parameter of this name", (int)wish->length, wish->name);
        } else if (wish->told != wish->value) {
            say("%.*s: the board has %" PRId32 " instead of %" PRId32, (int)wish->length,
                wish->name, wish->told, wish->value);
        }
    }
}
