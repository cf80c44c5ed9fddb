#include "sink/zonestack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int zone_stack_push(struct zone_stack *stack, const struct event *event) {
    if (stack->depth == stack->capacity) {
        size_t capacity = stack->capacity ? stack->capacity * 2 : 8;
        struct open_zone *zones = realloc(stack->zones, capacity * sizeof *zones);
        if (!zones) {
            return -ENOMEM;
        }
        stack->zones = zones;
        stack->capacity = capacity;
    }
    stack->zones[stack->depth++] =
        (struct open_zone){.site = event->site, .start_ns = event->time_ns};
    return 0;
}

struct open_zone *zone_stack_top(const struct zone_stack *stack) {
    return stack->depth > 0 ? &stack->zones[stack->depth - 1] : NULL;
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

bool zone_is_note(enum event_kind kind) {
    return kind == EVENT_ZONE_TEXT || kind == EVENT_ZONE_NAME || kind == EVENT_ZONE_VALUE ||
           kind == EVENT_ZONE_COLOR;
}

int zone_stack_note(struct zone_stack *stack, const struct event *event) {
    struct open_zone *zone = zone_stack_top(stack);
    if (!zone) {
        return 0;
    }
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
    default:
        return 0;
    }
}

void zone_stack_pop(struct zone_stack *stack) {
    struct open_zone *zone = zone_stack_top(stack);
    if (zone) {
        free(zone->name);
        free(zone->late_name);
        free(zone->text);
        stack->depth--;
    }
}

void zone_stack_free(struct zone_stack *stack) {
    while (stack->depth > 0) {
        zone_stack_pop(stack);
    }
    free(stack->zones);
    *stack = (struct zone_stack){0};
}

const char *open_zone_show(struct open_zone *zone) {
    zone->shown = zone->name ? zone->name : zone->site->name;
    return zone->shown;
}
