/* SPDX-License-Identifier: MIT */
#include "model/across.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"

/* The same as for one board: differences of two times stay in range. */
#define TIME_MAX (INT64_MAX / 2)
/* Period of showing the error of a board's clock. */
#define SHOW_NS INT64_C(1000000000)
/* Numbers from here on are above those of a single board. */
#define BOARD_SHIFT 40

/* ---- times ---- */

static int64_t merged(const struct across_board *b, uint32_t session, int64_t ns,
                      int64_t *bound_ns) {
    if (b->live != NULL) {
        const int64_t at = host_live_ns(b->live, ns, bound_ns) - b->across->base_ns;
        return at < 0 ? 0 : at < TIME_MAX ? at : TIME_MAX;
    }
    if (!b->fit->known) {
        *bound_ns = 0;
        return ns > b->first_ns ? ns - b->first_ns : 0;
    }
    const int64_t at = host_fit_ns(b->fit, session, ns, bound_ns) + b->host_ns - b->across->base_ns;
    return at < 0 ? 0 : at < TIME_MAX ? at : TIME_MAX;
}

static void move(const struct across_board *b, uint32_t session, int64_t *ns) {
    int64_t bound_ns;
    *ns = merged(b, session, *ns, &bound_ns);
}

/* ---- rows ---- */

struct text {
    struct text *next;
    char bytes[];
};

/* "board/row", which lives as long as all. */
static const char *name_of(struct across_board *b, const char *row) {
    const size_t board = strlen(b->board.name), length = strlen(row);
    struct text *text = malloc(sizeof *text + board + length + 2);
    if (text == NULL) {
        return NULL;
    }
    text->next = b->across->texts;
    b->across->texts = text;
    memcpy(text->bytes, b->board.name, board);
    text->bytes[board] = '/';
    memcpy(text->bytes + board + 1, row, length + 1);
    return text->bytes;
}

/* The copy of a track. */
struct row {
    struct track track; /* the first member */
    struct device device;
    int64_t last_ns; /* of the events shown live */
};

/* A better estimate of the board's clock never takes a row back in time. */
static void hold_back(struct track *copy, struct event *event) {
    struct row *row = (struct row *)copy;
    if (event->kind == EVENT_TASK || event_role(event->kind) == KYMO_ROLE_TASK) {
        return; /* in an order of their own */
    }
    row->last_ns = event->time_ns > row->last_ns ? event->time_ns : row->last_ns;
    event->time_ns = row->last_ns;
}

static uint32_t session_of(const struct across_board *b, uint32_t session) {
    return session < b->session_count ? b->sessions[session] : 0;
}

/* While more events come, the number of a board's cores is unknown. */
static uint32_t core_of(struct across_board *b, uint32_t core) {
    if (b->live == NULL || core >= WIRE_LANES) {
        return b->first_core + core;
    }
    if (b->cores[core] == 0) {
        b->cores[core] = ++b->across->cores;
    }
    return b->cores[core] - 1;
}

/* Boards number their devices from 0 each. */
static int fill_device(struct across_board *b, struct row *row, const struct device *device) {
    uint32_t number = intmap_get(&b->devices, device->number);
    if (number == 0) {
        number = ++b->across->devices;
        if (intmap_add(&b->devices, device->number, number) != 0) {
            return -ENOMEM;
        }
    }
    row->device = *device;
    row->device.number = number - 1;
    row->track.device = &row->device;
    return 0;
}

/* "had": the name that the copy had until now, or NULL. */
static const char *name_again(struct across_board *b, const char *had, const char *row) {
    const bool is_same = had != NULL && strcmp(had + strlen(b->board.name) + 1, row) == 0;
    return is_same ? had : name_of(b, row);
}

static int fill(struct across_board *b, struct track *copy, const struct track *track) {
    const char *name = name_again(b, copy->name, track->name);
    copy->core = track->device != NULL ? track->core : core_of(b, track->core);
    copy->session = session_of(b, track->session);
    copy->kind = track->kind;
    copy->board = &b->board;
    copy->resets = track->session;
    copy->name = name;
    return name == NULL            ? -ENOMEM
           : track->device == NULL ? 0
                                   : fill_device(b, (struct row *)copy, track->device);
}

static struct track *copy_track(struct across_board *b, const struct track *track) {
    if (!grow_zeroed(&b->tracks, &b->track_count, track->id, sizeof *b->tracks)) {
        return NULL;
    }
    struct track **copy = &b->tracks[track->id];
    if (*copy == NULL) {
        struct row *row = calloc(1, sizeof *row);
        if (row == NULL) {
            return NULL;
        }
        *copy = &row->track;
        (*copy)->id = ++b->across->tracks;
    }
    return fill(b, *copy, track) == 0 ? *copy : NULL;
}

static struct object *copy_object(struct across_board *b, const struct object *object) {
    uint32_t number = intmap_get(&b->objects, (uintptr_t)object);
    if (number == 0) {
        struct object **copies = realloc(b->copies, (b->object_count + 1u) * sizeof *copies);
        struct object *copy = calloc(1, sizeof *copy);
        b->copies = copies != NULL ? copies : b->copies;
        if (copies == NULL || copy == NULL ||
            intmap_add(&b->objects, (uintptr_t)object, b->object_count + 1) != 0) {
            free(copy);
            return NULL;
        }
        copy->id = ++b->across->objects;
        copies[b->object_count++] = copy;
        number = b->object_count;
    }
    struct object *copy = b->copies[number - 1];
    const char *name = name_again(b, copy->name, object->name);
    const uint32_t id = copy->id;
    *copy = *object;
    copy->id = id;
    copy->session = session_of(b, object->session);
    copy->name = name;
    return name != NULL ? copy : NULL;
}

/* ---- flows ---- */

static int64_t name_number(struct across *a, const struct event *event) {
    return keytable_add(&a->names, event->site->name, strlen(event->site->name));
}

/* A place in the list; NULL: no memory, or too many. */
static struct across_send *place_for(struct across_sends *sends) {
    if (sends->unused_count != 0) {
        return &sends->list[sends->unused[--sends->unused_count]];
    }
    if (sends->count == sends->capacity) {
        const uint32_t capacity = sends->capacity * 2 + 64;
        struct across_send *list = realloc(sends->list, capacity * sizeof *list);
        uint32_t *unused = realloc(sends->unused, capacity * sizeof *unused);
        sends->list = list != NULL ? list : sends->list;
        sends->unused = unused != NULL ? unused : sends->unused;
        if (list == NULL || unused == NULL) {
            return NULL;
        }
        sends->capacity = capacity;
    }
    return &sends->list[sends->count++];
}

static int learn_send(struct across_board *b, const struct event *event) {
    struct across_sends *sends = &b->across->sends;
    const int64_t name = name_number(b->across, event);
    if (sends->count - sends->unused_count >= ACROSS_SENDS_MAX) {
        sends->refused++;
        return 0;
    }
    struct across_send *send = name < 0 ? NULL : place_for(sends);
    if (send == NULL) {
        return -ENOMEM;
    }
    *send = (struct across_send){.id = event->u.flow.id,
                                 .number = event->u.flow.number,
                                 .time_ns = event->time_ns,
                                 .bound_ns = event->u.flow.bound_ns,
                                 .name = (uint32_t)name,
                                 .board = b->board.number,
                                 .session = event->track->session,
                                 .open = true};
    return liveset_add(&sends->places, b->board.number, send->number,
                       (uint64_t)(send - sends->list) + 1)
               ? 0
               : -ENOMEM;
}

int across_learn(struct across_board *b, const struct event *event) {
    struct across_sends *sends = &b->across->sends;
    if (event->kind == EVENT_FLOW_SEND && event->u.flow.number != 0) {
        return learn_send(b, event);
    }
    if (event->kind == EVENT_FLOW_RECEIVE && event->u.flow.number != 0) {
        const uint64_t place =
            liveset_remove(&sends->places, b->board.number, event->u.flow.number);
        if (place != 0) {
            sends->list[place - 1].open = false;
            sends->unused[sends->unused_count++] = (uint32_t)(place - 1);
        }
    }
    return 0;
}

static int by_key(const void *left, const void *right) {
    const struct across_send *a = left, *b = right;
    return a->name != b->name         ? (a->name < b->name ? -1 : 1)
           : a->id != b->id           ? (a->id < b->id ? -1 : 1)
           : a->time_ns != b->time_ns ? (a->time_ns < b->time_ns ? -1 : 1)
                                      : 0;
}

void across_settle(struct across *a, const struct across_board *const *boards) {
    struct across_sends *sends = &a->sends;
    uint32_t kept = 0;
    liveset_free(&sends->places);
    for (uint32_t i = 0; i < sends->count; i++) {
        struct across_send send = sends->list[i];
        if (send.open) {
            const int64_t core_ns = send.bound_ns;
            send.time_ns = merged(boards[send.board], send.session, send.time_ns, &send.bound_ns);
            send.bound_ns += core_ns;
            sends->list[kept++] = send;
        }
    }
    sends->count = kept;
    if (kept > 1) {
        qsort(sends->list, kept, sizeof *sends->list, by_key);
    }
}

/* The latest send of another board that is not after it, by more than the clocks may be wrong. */
static struct across_send *find_send(struct across_board *b, const struct event *event,
                                     uint32_t name, int64_t bound_ns) {
    struct across_sends *sends = &b->across->sends;
    uint32_t from = 0, to = sends->count;
    struct across_send *found = NULL;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const struct across_send *send = &sends->list[middle];
        const bool before = send->name != name ? send->name < name : send->id < event->u.flow.id;
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    bool later = false;
    for (; from < sends->count; from++) {
        struct across_send *send = &sends->list[from];
        if (send->name != name || send->id != event->u.flow.id) {
            break;
        }
        const bool fits = send->open && send->board != b->board.number;
        const bool after = send->time_ns - event->time_ns > send->bound_ns + bound_ns;
        later = later || (fits && after);
        found = fits && !after ? send : found;
    }
    b->across->backwards += later && found == NULL;
    return found;
}

static int take_flow(struct across_board *b, struct event *event, int64_t board_ns) {
    struct across *a = b->across;
    const int64_t bound_ns = board_ns + event->u.flow.bound_ns; /* and its core's clock's */
    const uint64_t own = event->u.flow.number;
    event->u.flow.number = own != 0 ? own | (uint64_t)(b->board.number + 1u) << BOARD_SHIFT : 0;
    if (event_is_async(event->kind) || !event->site->known || own != 0) {
        return 0;
    }
    const int64_t name = name_number(a, event);
    if (name < 0) {
        return (int)name;
    }
    struct across_send *send = find_send(b, event, (uint32_t)name, bound_ns);
    if (send == NULL) {
        return 0;
    }
    event->u.flow.number = send->number | (uint64_t)(send->board + 1u) << BOARD_SHIFT;
    event->u.flow.start_ns = send->time_ns;
    event->u.flow.bound_ns = send->bound_ns + bound_ns;
    event->u.flow.repaired = FLOW_WHOLE;
    a->joined++;
    if (event->kind == EVENT_FLOW_RECEIVE) {
        send->open = false;
        a->arrows++;
        a->too_short += event_flow_is_short(event);
    }
    return 0;
}

/* ---- events ---- */

static int begin_session(struct across_board *b, struct event *event) {
    uint32_t *sessions = realloc(b->sessions, (b->session_count + 1u) * sizeof *sessions);
    struct across *a = b->across;
    if (sessions == NULL) {
        return -ENOMEM;
    }
    b->sessions = sessions;
    sessions[b->session_count++] = a->sessions++;
    event->u.session.session = sessions[b->session_count - 1];
    event->u.session.board = &b->board;
    event->u.session.epoch_ns = a->epoch_ns;
    snprintf(b->title, sizeof b->title, "%s (%s)",
             event->u.session.image[0] != '\0' ? event->u.session.image : "board", b->board.name);
    event->u.session.image = b->title;
    return 0;
}

/* The times of its value. */
static void move_value(const struct across_board *b, uint32_t session, struct event *event) {
    if (event->kind == EVENT_ZONE_END) {
        move(b, session, &event->u.zone.start_ns);
    } else if (event->kind == EVENT_GAP) {
        move(b, session, &event->u.gap.start_ns);
    } else if (event->kind == EVENT_TASK) {
        move(b, session, &event->u.task.since_ns);
    } else if (event_holds(event->kind)) {
        move(b, session, &event->u.hold.start_ns);
    } else if (event_payload(event->kind) == KYMO_CARRIES_FLOW) {
        move(b, session, &event->u.flow.start_ns);
    }
}

static int show_error(struct across_board *b, const struct event *of, int64_t bound_ns) {
    if (of->time_ns < b->next_ns || (b->live == NULL && !b->fit->known)) {
        return 0;
    }
    b->next_ns = of->time_ns + SHOW_NS;
    struct event event = {
        .kind = EVENT_PLOT_INT, .time_ns = of->time_ns, .track = of->track, .site = &b->error};
    event.u.plot.type = PLOT_INT;
    event.u.plot.integer = bound_ns;
    event.u.plot.real = (double)bound_ns;
    return b->across->to.event(b->across->to.state, &event);
}

static void reach(struct across_board *b, int64_t time_ns) {
    b->board.last_ns = time_ns > b->board.last_ns ? time_ns : b->board.last_ns;
}

int across_event(void *context, const struct event *event) {
    struct across_board *b = context;
    struct across *a = b->across;
    struct event copy = *event;
    const uint32_t session = event->kind == EVENT_SESSION ? event->u.session.session
                             : event->track != NULL       ? event->track->session
                                                          : 0;
    int64_t bound_ns = 0;
    copy.time_ns = merged(b, session, event->time_ns, &bound_ns);
    reach(b, copy.time_ns);
    if (event->kind == EVENT_SESSION) {
        const int error = begin_session(b, &copy);
        return error != 0 ? error : a->to.event(a->to.state, &copy);
    }
    move_value(b, session, &copy);
    struct track *track = copy_track(b, event->track);
    copy.track = track;
    if (track != NULL && b->live != NULL) {
        hold_back(track, &copy);
    }
    copy.object = event->object != NULL ? copy_object(b, event->object) : NULL;
    if (copy.track == NULL || (event->object != NULL && copy.object == NULL)) {
        return -ENOMEM;
    }
    int error = 0;
    if (event->kind == EVENT_TASK && event->u.task.other != NULL) {
        copy.u.task.other = copy_track(b, event->u.task.other);
    }
    if (event_payload(event->kind) == KYMO_CARRIES_FLOW) {
        error = take_flow(b, &copy, bound_ns);
    }
    error = error != 0 ? error : a->to.event(a->to.state, &copy);
    const bool happened = event->kind == EVENT_SWITCH ||
                          event_role(event->kind) == KYMO_ROLE_OPENS ||
                          event_role(event->kind) == KYMO_ROLE_POINT;
    return error != 0 || !happened ? error : show_error(b, &copy, bound_ns);
}

void across_rewind(struct across *a) {
    for (uint32_t i = 0; i < a->sends.count; i++) {
        a->sends.list[i].open = true;
    }
    a->sessions = 0;
    a->arrows = a->too_short = a->backwards = a->joined = 0;
}

void across_board_rewind(struct across_board *b) {
    b->session_count = 0;
    b->next_ns = b->board.last_ns = 0;
}

void across_board_free(struct across_board *b) {
    for (uint32_t i = 0; i < b->track_count; i++) {
        free(b->tracks[i]);
    }
    for (uint32_t i = 0; i < b->object_count; i++) {
        free(b->copies[i]);
    }
    free(b->tracks);
    free(b->copies);
    free(b->sessions);
    intmap_free(&b->objects);
    intmap_free(&b->devices);
}

void across_free(struct across *a) {
    for (struct text *text = a->texts, *next; text != NULL; text = next) {
        next = text->next;
        free(text);
    }
    liveset_free(&a->sends.places);
    free(a->sends.list);
    free(a->sends.unused);
    keytable_free(&a->names);
}
