#include "trace/resolve.h"

#include <string.h>

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

/* What is not UTF-8, or a control character that would upset a terminal, becomes '?', in place. */
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

static void set_text(struct event *event, enum event_kind kind, char *text, size_t length) {
    clean(text, length);
    event->kind = kind;
    event->u.text.bytes = text;
    event->u.text.length = length;
}

static void set_value(struct event *event, enum event_kind kind, uint64_t value) {
    event->kind = kind;
    event->u.value = value;
}

static void set_plot(struct event *event, const struct wire_event *wire) {
    event->kind = EVENT_PLOT;
    if (wire->kind == KYMO_KIND_PLOT_FLOAT) {
        float real;
        uint32_t bits = word(wire, 0);
        memcpy(&real, &bits, sizeof real);
        event->u.plot.type = PLOT_FLOAT;
        event->u.plot.real = (double)real;
    } else if (wire->kind == KYMO_KIND_PLOT_DOUBLE) {
        uint64_t bits = pair(wire, 0, 1);
        event->u.plot.type = PLOT_DOUBLE;
        memcpy(&event->u.plot.real, &bits, sizeof bits);
    } else {
        uint32_t low = word(wire, 0);
        uint32_t high = word(wire, 1) + ((low & 0x80000000u) != 0 ? 0xffffffffu : 0u);
        event->u.plot.type = PLOT_INT;
        event->u.plot.integer = (int64_t)(low | (uint64_t)high << 32);
        event->u.plot.real = (double)event->u.plot.integer;
        bool beyond = event->u.plot.integer < 0 && (event->site->detail & KYMO_PLOT_UNSIGNED) != 0;
        if (beyond) { /* no output has unsigned integers */
            event->u.plot.type = PLOT_DOUBLE;
            event->u.plot.real = (double)(uint64_t)event->u.plot.integer;
        }
    }
}

static void set_memory(struct event *event, const struct wire_event *wire) {
    bool alloc = wire->kind == KYMO_KIND_ALLOC;
    event->kind = alloc ? EVENT_ALLOC : EVENT_FREE;
    event->u.memory.address = alloc ? pair(wire, 0, 2) : pair(wire, 0, 1);
    event->u.memory.bytes = alloc ? pair(wire, 1, 3) : 0;
}

bool resolve_event(struct event *event, const struct wire_event *wire,
                   const struct resolve_place *place) {
    switch (wire->kind) {
    case KYMO_KIND_ZONE_BEGIN:
        event->kind = EVENT_ZONE_BEGIN;
        return true;
    case KYMO_KIND_FRAME:
        event->kind = EVENT_FRAME;
        return true;
    case KYMO_KIND_FRAME_START:
        event->kind = EVENT_FRAME_START;
        return true;
    case KYMO_KIND_FRAME_END:
        event->kind = EVENT_FRAME_END;
        return true;
    case KYMO_KIND_ZONE_TEXT:
        set_text(event, EVENT_ZONE_TEXT, place->text, resolve_string(place->text, wire, 0));
        return true;
    case KYMO_KIND_ZONE_NAME:
        set_text(event, EVENT_ZONE_NAME, place->text, resolve_string(place->text, wire, 0));
        return true;
    case KYMO_KIND_APP_INFO:
        set_text(event, EVENT_APP_INFO, place->text, resolve_string(place->text, wire, 0));
        return true;
    case KYMO_KIND_MESSAGE:
        set_text(event, EVENT_MESSAGE, place->text,
                 format_message(place->text, place->text_bytes, event->site, wire->word,
                                wire->words, place->lookup, place->context));
        return true;
    case KYMO_KIND_ZONE_VALUE:
        set_value(event, EVENT_ZONE_VALUE, pair(wire, 0, 1));
        return true;
    case KYMO_KIND_ZONE_COLOR:
        set_value(event, EVENT_ZONE_COLOR, word(wire, 0) & 0xffffffu);
        return true;
    case KYMO_KIND_PLOT_INT:
    case KYMO_KIND_PLOT_FLOAT:
    case KYMO_KIND_PLOT_DOUBLE:
        set_plot(event, wire);
        return true;
    case KYMO_KIND_ALLOC:
    case KYMO_KIND_FREE:
        set_memory(event, wire);
        return true;
    default:
        return false;
    }
}
