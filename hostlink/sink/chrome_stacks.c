/* SPDX-License-Identifier: MIT */
#include "sink/chrome_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sink/json_text.h"

#define NAME_BYTES 1024u

static uint32_t frame(struct chrome_stacks *stacks, uint32_t caller, const char *name) {
    char key[sizeof caller + NAME_BYTES];
    const size_t length = strnlen(name, NAME_BYTES);
    memcpy(key, &caller, sizeof caller);
    memcpy(key + sizeof caller, name, length);
    const int64_t number = stacks->frames.count < CHROME_FRAMES_MAX
                               ? keytable_add(&stacks->frames, key, sizeof caller + length)
                               : keytable_find(&stacks->frames, key, sizeof caller + length);
    return number < 0 ? 0 : (uint32_t)number + 1;
}

uint32_t chrome_stack(struct chrome_stacks *stacks, const struct callstack *stack) {
    uint32_t caller = 0;
    char hex[20];
    for (uint32_t i = stack->count; i > 0; i--) {
        const struct code_place *place = symbols_find(stack->symbols, stack->address[i - 1]);
        (void)snprintf(hex, sizeof hex, "0x%" PRIx64, stack->address[i - 1]);
        for (uint32_t line = place != NULL ? place->count : 1; line > 0; line--) {
            const char *name = place != NULL ? place->lines[line - 1].function : "";
            caller = frame(stacks, caller, name[0] != '\0' ? name : hex);
            if (caller == 0) {
                return 0;
            }
        }
    }
    return caller;
}

void chrome_stacks_write(const struct chrome_stacks *stacks, struct outfile *out) {
    for (uint32_t i = 0; i < stacks->frames.count; i++) {
        const struct keytable_entry *entry = &stacks->frames.entries[i];
        const char *key = (const char *)stacks->frames.bytes + entry->offset;
        uint32_t caller;
        memcpy(&caller, key, sizeof caller);
        outfile_printf(out, "%s\n\"%" PRIu32 "\":{\"name\":", i == 0 ? ",\"stackFrames\":{" : ",",
                       i + 1);
        json_text(out, key + sizeof caller, entry->length - sizeof caller);
        outfile_printf(out, ",\"category\":\"function\"");
        if (caller != 0) {
            outfile_printf(out, ",\"parent\":\"%" PRIu32 "\"", caller);
        }
        outfile_write(out, "}", 1);
    }
    if (stacks->frames.count > 0) {
        outfile_write(out, "}", 1);
    }
}

void chrome_stacks_free(struct chrome_stacks *stacks) { keytable_free(&stacks->frames); }
