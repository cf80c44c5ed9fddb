/* SPDX-License-Identifier: MIT */
#include "model/resolve.h"

#include <string.h>

#include "base/kinds.h"
#include "base/utf8.h"
#include "kymo/wire.h"

size_t resolve_string(char *out, const struct wire_event *wire, uint32_t at) {
    size_t length = at < wire->words ? wire->word[at] : 0;
    size_t space = at < wire->words ? (size_t)(wire->words - at - 1) * 4 : 0;
    length = length < space ? length : space;
    for (size_t i = 0; i < length; i++) {
        out[i] = (char)(uint8_t)(wire->word[at + 1 + i / 4] >> (8 * (i % 4)));
    }
    out[length] = '\0';
    return strnlen(out, length);
}

/* Words that the board left out are 0. */
static uint32_t word(const struct wire_event *wire, uint32_t index) {
    return index < wire->words ? wire->word[index] : 0;
}

static uint64_t pair(const struct wire_event *wire, uint32_t low, uint32_t high) {
    return word(wire, low) | (uint64_t)word(wire, high) << 32;
}

/* Replaces in place, by '?', bytes that are not UTF-8 and control characters that would upset a terminal. */
static void clean(char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        uint32_t character = 0;
        size_t bytes = utf8_next(text + at, length - at, &character);
        bool harmless = character == '\t' || character == '\n' || !utf8_is_control(character);
        if (!harmless || (character == UTF8_REPLACEMENT && bytes == 1)) {
            memset(text + at, '?', bytes);
        }
        at += bytes;
    }
}

static void set_text(struct event *event, char *text, size_t length) {
    clean(text, length);
    event->u.text.bytes = text;
    event->u.text.length = length;
    event->u.text.color = 0;
}

/* For an output it is a message as any other. */
#define MESSAGE_HAS_TEXT 0x80000000u
static void set_message(struct event *event, const struct wire_event *wire,
                        const struct resolve_place *place) {
    event->kind = EVENT_MESSAGE;
    if ((word(wire, 0) & MESSAGE_HAS_TEXT) != 0) {
        set_text(event, place->text, resolve_string(place->text, wire, 1));
    } else {
        const size_t length = strlen(event->site->name);
        const size_t fits = length < place->text_bytes ? length : place->text_bytes - 1;
        memcpy(place->text, event->site->name, fits);
        place->text[fits] = '\0';
        set_text(event, place->text, fits);
    }
    event->u.text.color = word(wire, 0) & 0xffffffu;
}

static void set_plot(struct event *event, const struct wire_event *wire) {
    if (event_payload(event->kind) == KYMO_CARRIES_FLOAT) {
        float real;
        uint32_t bits = word(wire, 0);
        memcpy(&real, &bits, sizeof real);
        event->u.plot.type = PLOT_FLOAT;
        event->u.plot.real = (double)real;
    } else if (event_payload(event->kind) == KYMO_CARRIES_DOUBLE) {
        uint64_t bits = pair(wire, 0, 1);
        event->u.plot.type = PLOT_DOUBLE;
        memcpy(&event->u.plot.real, &bits, sizeof bits);
    } else {
        uint32_t low = word(wire, 0);
        uint32_t high = word(wire, 1) + ((low & 0x80000000u) != 0 ? 0xffffffffu : 0u);
        event->u.plot.type = PLOT_INT;
        event->u.plot.integer = (int64_t)(low | (uint64_t)high << 32);
        event->u.plot.real = (double)event->u.plot.integer;
        bool beyond = event->u.plot.integer < 0 && event->site != NULL &&
                      (event->site->detail & KYMO_PLOT_UNSIGNED) != 0;
        if (beyond) { /* no output has unsigned integers */
            event->u.plot.type = PLOT_DOUBLE;
            event->u.plot.real = (double)(uint64_t)event->u.plot.integer;
        }
    }
}

static void set_block(struct event *event, const struct wire_event *wire) {
    event->u.memory.address = pair(wire, 0, 2);
    event->u.memory.bytes = pair(wire, 1, 3);
}

static void set_address(struct event *event, const struct wire_event *wire) {
    event->u.memory.address = pair(wire, 0, 1);
    event->u.memory.bytes = 0;
}

static void set_large(struct event *event, const struct wire_event *wire, char *text) {
    clean(text, resolve_string(text, wire, 3));
    event->u.large.name = text;
    event->u.large.id = word(wire, 0);
    event->u.large.bytes = word(wire, 1);
    event->u.large.type = (uint8_t)word(wire, 2);
}

#define NS_A_SECOND 1000000000u

static void set_sample(struct event *event, const struct wire_event *wire) {
    const uint32_t hz = word(wire, 0);
    event->u.sample.period_ns = hz != 0 ? (NS_A_SECOND + hz / 2u) / hz : 0;
    event->u.sample.missed = word(wire, 1);
}

bool resolve_event(struct event *event, const struct wire_event *wire,
                   const struct resolve_place *place) {
    event->kind = (enum event_kind)wire->kind;
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_NONE:
    case KYMO_CARRIES_HIGH:
        return true;
    case KYMO_CARRIES_U32:
        event->u.value = word(wire, 0);
        return true;
    case KYMO_CARRIES_U64:
        event->u.value = pair(wire, 0, 1);
        return true;
    case KYMO_CARRIES_COLOR:
        event->u.value = word(wire, 0) & 0xffffffu;
        return true;
    case KYMO_CARRIES_I64:
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        set_plot(event, wire);
        return true;
    case KYMO_CARRIES_TEXT:
        set_text(event, place->text, resolve_string(place->text, wire, 0));
        return true;
    case KYMO_CARRIES_LARGE:
        set_large(event, wire, place->text);
        return true;
    case KYMO_CARRIES_ARGUMENTS:
        set_text(event, place->text,
                 format_message(place->text, place->text_bytes, event->site, wire->word,
                                wire->words, place->lookup, place->context));
        return true;
    case KYMO_CARRIES_MESSAGE:
        set_message(event, wire, place);
        return true;
    case KYMO_CARRIES_MARK:
        event->u.mark = word(wire, 1) == 0 ? NULL : place->site(place->context, word(wire, 1) - 1);
        return true;
    case KYMO_CARRIES_BLOCK:
        set_block(event, wire);
        return true;
    case KYMO_CARRIES_ADDRESS:
        set_address(event, wire);
        return true;
    case KYMO_CARRIES_COUNTERS:
        event->u.counters.cycles = word(wire, 0);
        event->u.counters.instructions = word(wire, 1);
        return true;
    case KYMO_CARRIES_COUNT:
        event->u.count.of = event->site;
        event->u.count.times = word(wire, 0);
        return true;
    case KYMO_CARRIES_SAMPLE:
        set_sample(event, wire);
        return true;
    case KYMO_CARRIES_PRIORITY:
        event->u.priority.value = (int32_t)word(wire, 0);
        event->u.priority.cause = (uint8_t)(word(wire, 1) & 0xffu);
        return true;
    case KYMO_CARRIES_UNUSED:
        event->u.stack.unused = word(wire, 0);
        event->u.stack.bytes = word(wire, 1);
        return true;
    case KYMO_CARRIES_PERIOD:
        event->u.period.period_us = word(wire, 0);
        event->u.period.deadline_us = word(wire, 1) != 0 ? word(wire, 1) : word(wire, 0);
        return true;
    case KYMO_CARRIES_LEVEL:
        event->u.level = word(wire, 0);
        return true;
    case KYMO_CARRIES_FLOW:
        event->u.flow.id = pair(wire, 0, 1);
        event->u.flow.start_ns = event->time_ns;
        return true;
    default: /* the timeline handles it */
        return false;
    }
}

void resolve_stack(struct callstack *stack, const struct wire_event *wire) {
    const uint32_t frames = word(wire, 0);
    const uint32_t there = wire->words != 0 ? wire->words - 1 : 0;
    uint32_t count = frames < there ? frames : there;
    stack->count = count < CALLSTACK_MAX ? count : CALLSTACK_MAX;
    for (uint32_t i = 0; i < stack->count; i++) {
        stack->address[i] = word(wire, 1 + i) | (uint64_t)word(wire, 1 + frames + i) << 32;
    }
}
