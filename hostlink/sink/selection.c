/* SPDX-License-Identifier: MIT */
#include "sink/selection.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool parse_time(const char *text, int64_t *time_ns) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1.0}};
    char *end;
    const double value = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit) == 0 && value >= 0.0 && value * units[i].ns < 9e18) {
            *time_ns = (int64_t)llround(value * units[i].ns);
            return true;
        }
    }
    return false;
}

bool selection_parse(struct selection_end *end, const char *text) {
    char *behind;
    *end = (struct selection_end){.is = SELECTION_TIME, .found = true};
    if (strncmp(text, "frame:", 6) == 0) {
        end->is = SELECTION_FRAME;
        end->found = false;
        end->frame = strtoull(text + 6, &behind, 10);
        return text[6] >= '0' && text[6] <= '9' && *behind == '\0' && end->frame > 0;
    }
    if (strncmp(text, "message:", 8) == 0) {
        end->is = SELECTION_MESSAGE;
        end->found = false;
        end->text = text + 8;
        return end->text[0] != '\0';
    }
    if (strncmp(text, "signpost:", 9) == 0) {
        end->is = SELECTION_SIGNPOST;
        end->found = false;
        end->text = text + 9;
        return end->text[0] != '\0';
    }
    return parse_time(text, &end->time_ns);
}

bool selection_must_look(const struct selection *s) {
    return s->from.is > SELECTION_TIME || s->to.is > SELECTION_TIME;
}

static bool is_signpost(const struct event *event, const char *header) {
    struct signpost signpost;
    return event_signpost(event, &signpost) && signpost.header_bytes == strlen(header) &&
           memcmp(signpost.header, header, signpost.header_bytes) == 0;
}

static void look_for(struct selection_end *end, const struct event *event, uint64_t frames) {
    const bool message = event->kind == EVENT_MESSAGE || event->kind == EVENT_MESSAGE_TEXT;
    if (!end->found && ((end->is == SELECTION_FRAME && frames == end->frame) ||
                        (end->is == SELECTION_MESSAGE && message &&
                         memmem(event->u.text.bytes, event->u.text.length, end->text,
                                strlen(end->text)) != NULL) ||
                        (end->is == SELECTION_SIGNPOST && is_signpost(event, end->text)))) {
        end->found = true;
        end->time_ns = event->time_ns;
    }
}

void selection_look(struct selection *s, const struct event *event) {
    s->frames += event->kind == EVENT_FRAME || event->kind == EVENT_FRAME_START;
    const bool before = s->from.found || s->from.is != SELECTION_SIGNPOST;
    look_for(&s->from, event, s->frames);
    if (before || s->to.is != SELECTION_SIGNPOST) {
        look_for(&s->to, event, s->frames);
    }
}

/* Each name is compared once; where memory is short, again and again. */
static bool matches(struct selection *s, const void *key, const char *name, const char *pattern,
                    bool *found) {
    uint32_t known = intmap_get(&s->known, (uintptr_t)key);
    if (known == 0) {
        known = fnmatch(pattern, name, 0) == 0 ? 1 : 2;
        (void)intmap_add(&s->known, (uintptr_t)key, known);
        *found = *found || known == 1;
    }
    return known == 1;
}

bool selection_is_over(const struct selection *s, int64_t time_ns) {
    return s->to.is != SELECTION_NONE && time_ns > s->to.time_ns;
}

static bool is_inside(const struct selection *s, int64_t from_ns, int64_t to_ns) {
    return (s->from.is == SELECTION_NONE || from_ns >= s->from.time_ns) &&
           !selection_is_over(s, to_ns);
}

bool selection_takes_run(struct selection *s, const struct track *track, int64_t from_ns,
                         int64_t to_ns) {
    return is_inside(s, from_ns, to_ns) &&
           (!s->context || matches(s, track, track->name, s->context, &s->context_found));
}

/* True for events of the timeline as a whole, as those of tasks are. */
bool selection_is_structure(const struct event *event) {
    return event_is_of_task(event->kind) ||
           (event->kind >= EVENT_SESSION && event->kind != EVENT_REPAIR &&
            event->kind != EVENT_HOLD_END);
}

bool selection_takes(struct selection *s, const struct event *event) {
    if (selection_is_structure(event)) {
        return true;
    }
    const bool zone = event->kind == EVENT_ZONE_END;
    if (s->zone && event->site && event->site->kind == KYMO_SITE_ZONE &&
        !matches(s, event->site, event->site->name, s->zone, &s->zone_found)) {
        return false;
    }
    return selection_takes_run(s, event->track, zone ? event->u.zone.start_ns : event->time_ns,
                               event->time_ns);
}

double selection_span(const struct selection *s, int64_t last_ns) {
    const int64_t from_ns = s->from.is != SELECTION_NONE ? s->from.time_ns : 0;
    const int64_t to_ns =
        s->to.is != SELECTION_NONE && s->to.time_ns < last_ns ? s->to.time_ns : last_ns;
    return to_ns > from_ns ? (double)to_ns - (double)from_ns : 0.0;
}

void selection_free(struct selection *s) { intmap_free(&s->known); }
