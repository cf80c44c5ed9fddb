/* SPDX-License-Identifier: MIT */
#include "sink/zonestack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Apart, as most zones have none. */
static __attribute__((noinline)) bool keep_calls(struct zone_stack *stack,
                                                 const struct callstack *calls) {
    stack->calls = stack->calls ? stack->calls : malloc(sizeof *stack->calls);
    if (!stack->calls) {
        return false;
    }
    *stack->calls = *calls;
    stack->has_calls = calls->count != 0;
    return true;
}

int zone_stack_push(struct zone_stack *stack, const struct event *event) {
    if (!grow(&stack->zones, &stack->capacity, stack->depth, sizeof *stack->zones)) {
        return -ENOMEM;
    }
    if (event->stack && !keep_calls(stack, event->stack)) {
        return -ENOMEM;
    }
    stack->zones[stack->depth++] =
        (struct open_zone){.site = event->site, .start_ns = event->time_ns};
    return 0;
}

static int set_name(struct open_zone *zone, const char *bytes, size_t length) {
    char *name = malloc(length + 1);
    if (!name) {
        return -ENOMEM;
    }
    memcpy(name, bytes, length);
    name[length] = '\0';
    char **slot = zone->shown ? &zone->late_name : &zone->name;
    free(*slot);
    *slot = name;
    return 0;
}

static int add_text(struct open_zone *zone, const char *bytes, size_t length) {
    size_t line_end = zone->text_length > 0 ? 1 : 0;
    if (zone->text_cut || length > ZONE_TEXT_BYTES_MAX - zone->text_length - line_end) {
        zone->text_cut = true;
        return 0;
    }
    char *text = realloc(zone->text, zone->text_length + line_end + length + 1);
    if (!text) {
        return -ENOMEM;
    }
    if (line_end) {
        text[zone->text_length++] = '\n';
    }
    memcpy(text + zone->text_length, bytes, length);
    zone->text_length += length;
    text[zone->text_length] = '\0';
    zone->text = text;
    return 0;
}

static struct zone_counters *counters_of(struct open_zone *zone) {
    zone->counters = zone->counters ? zone->counters : calloc(1, sizeof *zone->counters);
    return zone->counters;
}

static int add_counters(struct open_zone *zone, const struct event *event) {
    struct zone_counters *counters = counters_of(zone);
    if (!counters) {
        return -ENOMEM;
    }
    counters->cycles += event->u.counters.cycles;
    counters->instructions += event->u.counters.instructions;
    return 0;
}

/* A second count of the same name is added to the first. Without room for another name the count is kept as text. */
static int add_count(struct open_zone *zone, const struct event *event) {
    struct zone_counters *counters = counters_of(zone);
    uint32_t at = 0;
    if (!counters) {
        return -ENOMEM;
    }
    while (at < counters->count &&
           strcmp(counters->events[at].of->name, event->u.count.of->name) != 0) {
        at++;
    }
    if (at == ZONE_COUNTS_MAX) {
        char text[EVENT_TEXT_BYTES];
        return add_text(zone, text, event_text(event, text, sizeof text));
    }
    counters->events[at].of = event->u.count.of;
    counters->events[at].times += event->u.count.times;
    counters->count += at == counters->count;
    return 0;
}

int zone_stack_note(struct zone_stack *stack, const struct event *event) {
    struct open_zone *zone = zone_stack_top(stack);
    switch (event->kind) {
    case EVENT_ZONE_NAME:
        return set_name(zone, event->u.text.bytes, event->u.text.length);
    case EVENT_ZONE_TEXT:
        return add_text(zone, event->u.text.bytes, event->u.text.length);
    case EVENT_ZONE_VALUE:
        zone->has_value = true;
        zone->value = event->u.value;
        return 0;
    case EVENT_ZONE_COLOR:
        zone->has_color = true;
        zone->color = (uint32_t)event->u.value & 0xffffffu;
        return 0;
    case EVENT_ZONE_COUNTERS:
        return add_counters(zone, event);
    case EVENT_ZONE_COUNT:
        return add_count(zone, event);
    default: {
        char text[EVENT_TEXT_BYTES];
        return add_text(zone, text, event_text(event, text, sizeof text));
    }
    }
}

void open_zone_free(struct open_zone *zone) {
    free(zone->name);
    free(zone->late_name);
    free(zone->text);
    free(zone->counters);
}

void zone_stack_free(struct zone_stack *stack) {
    while (stack->depth > 0) {
        zone_stack_pop(stack);
    }
    free(stack->zones);
    free(stack->calls);
    *stack = (struct zone_stack){0};
}
