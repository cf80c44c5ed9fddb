#include "setter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

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
        (struct setter_wish){text, (size_t)(sign - text), (int32_t)value, false, false};
    return 0;
}

/* The board answers a wish by telling the value again: its bounds may have cut it. */
static int on_param(void *state, uint32_t index, const char *name, int32_t value) {
    struct setter *setter = state;
    for (size_t i = 0; i < setter->count; i++) {
        struct setter_wish *wish = &setter->wishes[i];
        if (strlen(name) != wish->length || memcmp(name, wish->name, wish->length) != 0) {
            continue;
        }
        if (value == wish->value) {
            wish->confirmed = true;
        } else if (!wish->sent && setter->viewer.set_param) {
            wish->sent = true;
            setter->viewer.set_param(setter->viewer.board, index, wish->value);
        } else if (wish->sent && !wish->confirmed) {
            say("%s: the board took %" PRId32 " instead of %" PRId32, name, value, wish->value);
            wish->confirmed = true;
        }
    }
    return 0;
}

void setter_start(struct setter *setter) {
    setter->viewer = (struct viewer){.name = "parameters", .state = setter, .param = on_param};
}

void setter_report(const struct setter *setter) {
    for (size_t i = 0; i < setter->count; i++) {
        const struct setter_wish *wish = &setter->wishes[i];
        if (!wish->confirmed) {
            say("%.*s: %s", (int)wish->length, wish->name,
                wish->sent ? "the board did not confirm that it was set"
                           : "the board told of no parameter of this name");
        }
    }
}
