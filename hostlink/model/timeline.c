/* SPDX-License-Identifier: MIT */
#include "model/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kinds.h"
#include "kymo/wire.h"
#include "model/blocks.h"
#include "model/board_info.h"
#include "model/object_events.h"
#include "model/resolve.h"
#include "model/timeline_rows.h"

static void free_unread(struct timeline *t) {
    for (uint32_t i = 0; i < WIRE_LANES; i++) {
        unread_packet_free(&t->lanes[i].unread);
    }
}

void timeline_free(struct timeline *t) {
    if (t != NULL) {
        objects_free(&t->objects);
        tracks_free(&t->tracks);
        liveset_free(&t->live);
        frames_free(&t->frames);
        flows_free(&t->flows);
        functions_free(&t->functions);
        free_unread(t);
        for (uint32_t i = 0; i < WIRE_LANES; i++) {
            free(t->clock_plots[i]);
        }
        free(t);
    }
}

static int send_zone(void *context, struct track_state *state, struct event *event) {
    return timeline_send(context, state, event);
}

struct timeline *timeline_new(struct names *names, struct clockfit *clock, timeline_event *emit,
                              void *context) {
    struct timeline *t = calloc(1, sizeof *t);
    if (t != NULL) {
        t->names = names;
        t->clock = clock;
        t->emit = emit;
        t->context = context;
        t->zones = (struct zones){.send = send_zone, .context = t};
        t->objects = (struct objects){.names = names, .send = send_zone, .context = t};
        tracks_init(&t->tracks);
    }
    return t;
}

/* ---- clocks of cores ---- */

int64_t timeline_clock_error(const struct timeline *t, uint32_t lane) {
    return t->info != NULL ? board_info_clock_ns(t->info, lane, clockfit_hz(t->clock)) : 0;
}

void timeline_core_clocks(struct timeline *t, const struct board_info *info) {
    const uint64_t hz = clockfit_hz(t->clock);
    for (uint32_t i = 0; i < WIRE_LANES && i < BOARD_INFO_LANES; i++) {
        struct lane *lane = &t->lanes[i];
        if (info->core_clock_times[i] != 0) {
            const int64_t ns = (int64_t)(info->core_clock_error[i] * UINT64_C(1000000000) / hz) + 1;
            lane->clock_news = lane->clock_news || ns != lane->clock_error_ns;
            lane->clock_error_ns = ns;
        }
    }
}

static int show_clock_error(struct timeline *t, uint32_t number, int64_t time_ns) {
    struct lane *lane = &t->lanes[number];
    struct core_clock_plot *plot = t->clock_plots[number];
    if (!lane->clock_news || lane->current == NULL) {
        return 0;
    }
    lane->clock_news = false;
    if (plot == NULL) {
        plot = calloc(1, sizeof *plot);
        if (plot == NULL) {
            return -ENOMEM;
        }
        t->clock_plots[number] = plot;
        (void)snprintf(plot->name, sizeof plot->name, "clock error of core %u, ns", number);
        plot->site = (struct site){
            .kind = KYMO_SITE_PLOT, .known = true, .name = plot->name, .function = "", .file = ""};
    }
    struct event event = {.kind = EVENT_PLOT_INT, .time_ns = time_ns, .site = &plot->site};
    event.u.plot.type = PLOT_INT;
    event.u.plot.integer = lane->clock_error_ns;
    event.u.plot.real = (double)lane->clock_error_ns;
    return timeline_send(t, lane->current, &event);
}

/* ---- where events are missing ---- */

/* They were lost on the lane between these times; it has run something. */
static int show_gap(struct timeline *t, const struct lane *lane, int64_t start_ns, int64_t end_ns,
                    uint64_t lost, enum gap_cause cause) {
    struct event event = {.kind = EVENT_GAP, .time_ns = end_ns};
    event.u.gap.start_ns = start_ns < end_ns ? start_ns : end_ns;
    event.u.gap.lost = lost;
    event.u.gap.cause = cause;
    int result =
        t->tasks.told ? tasks_lost(t, (uint32_t)(lane - t->lanes), event.u.gap.start_ns) : 0;
    return result != 0 ? result : timeline_send(t, lane->current, &event);
}

/* A lane with nothing but losses: of threads that got no lane. */
static int begin_main(struct timeline *t, uint32_t number) {
    struct lane *lane = &t->lanes[number];
    lane->current = timeline_track(t, number, CONTEXT_MAIN_REFERENCE, 0);
    lane->last_ns = t->counts.first_ns;
    return lane->current == NULL ? -ENOMEM : timeline_announce(t, lane->current, t->counts.last_ns);
}

/* End of a session: shows the losses that no later event reported. */
static int last_gaps(struct timeline *t, uint32_t number) {
    struct lane *lane = &t->lanes[number];
    const int64_t now_ns = t->counts.last_ns;
    int result = 0;
    if (lane->unshown != 0 && lane->current != NULL) {
        result = show_gap(t, lane, lane->last_ns, now_ns, lane->unshown, GAP_LINK);
    }
    if (lane->pending == 0 || result != 0) {
        return result;
    }
    timeline_add(&t->counts.lost_ring, lane->pending);
    result = lane->current == NULL ? begin_main(t, number) : 0;
    return result != 0 ? result
                       : show_gap(t, lane, lane->last_ns, now_ns, lane->pending, GAP_RING_FULL);
}

/* ---- contexts ---- */

/* Contexts beyond TRACKS_MAX take turns on one track: closes the previous context's zones and holds. */
static int share(struct timeline *t, struct track_state *state, uint32_t reference,
                 int64_t time_ns) {
    t->counts.shared_switches++;
    if (state->reference == reference) {
        return 0;
    }
    state->reference = reference;
    int result = zones_close(&t->zones, state, time_ns, ZONE_END_UNSURE);
    return result != 0 ? result : objects_close(&t->objects, state, time_ns, HOLD_END_LOST);
}

static int switch_context(struct timeline *t, uint32_t lane_number, uint32_t reference,
                          uint64_t ticks, bool certain) {
    struct lane *lane = &t->lanes[lane_number];
    const int64_t time_ns = clockfit_ns(t->clock, ticks);
    struct track_state *state = timeline_switched_to(t, lane_number, reference, ticks);
    if (state == NULL) {
        return -ENOMEM;
    }
    if (lane->current == state && state->reference == reference) {
        return 0;
    }
    int result = state->shared ? share(t, state, reference, time_ns) : 0;
    result = result != 0
                 ? result
                 : interrupts_follow(&lane->interrupts, &t->zones, t->names, state, time_ns);
    result = result != 0 ? result : zones_settle(&t->zones, state);
    result = result != 0 || !t->tasks.told ? result
                                           : tasks_leave(t, lane_number, state, time_ns, certain);
    /* A task may run on another lane by now. */
    if (lane->current != NULL && lane->current != state && lane->current->lane == lane_number) {
        track_leave(lane->current, time_ns);
    }
    track_return(state, time_ns);
    tracks_run(&t->tracks, state, lane_number);
    state->track->core = lane_number;
    lane->current = state;
    result = result != 0 || state->announced ? result : timeline_announce(t, state, time_ns);
    struct event event = {.kind = EVENT_SWITCH, .time_ns = time_ns};
    result = result != 0 ? result : timeline_send(t, state, &event);
    return result != 0 || !t->tasks.told ? result : tasks_enter(t, lane_number, state, time_ns);
}

/* The lane's interrupts, and the contexts that they preempted, are unknown from here on. */
static void forget_preempted(struct lane *lane) {
    lane->interrupts.count = 0;
    lane->preempted = NULL;
}
/* Begins and ends were lost with the rest: which zones of this lane are still open is unknown. Ends
 * that come later find no zone and are left out. */
static int close_lane(struct timeline *t, uint32_t lane_number, int64_t time_ns) {
    int result = 0;
    struct track_state *s;
    forget_preempted(&t->lanes[lane_number]);
    while (result == 0 && (s = tracks_take_ran(&t->tracks, lane_number)) != NULL) {
        result = zones_close(&t->zones, s, time_ns, ZONE_END_LOST);
        result = result != 0 ? result : objects_close(&t->objects, s, time_ns, HOLD_END_LOST);
    }
    return result;
}

/* Zones of an ended context are open here if their begins came after its end. */
static int close_at_the_end(struct timeline *t, struct track_state *state) {
    const int64_t last_ns = t->counts.last_ns;
    int result = zones_report_unfound(&t->zones, state);
    result = result != 0 ? result : objects_close(&t->objects, state, last_ns, HOLD_END_OPEN);
    if (result != 0) {
        return result;
    }
    if (state->end_ticks == TRACK_LIVES) {
        return zones_close(&t->zones, state, last_ns, ZONE_END_OPEN);
    }
    const int64_t end_ns = clockfit_ns(t->clock, state->end_ticks);
    return zones_close(&t->zones, state, end_ns < last_ns ? end_ns : last_ns, ZONE_END_TASK);
}

static int end_session(struct timeline *t) {
    int result = 0;
    for (struct track_state *s = t->tracks.first; s != NULL && result == 0; s = s->next) {
        result = close_at_the_end(t, s);
    }
    for (uint32_t i = 0; i < WIRE_LANES && result == 0; i++) {
        struct lane *lane = &t->lanes[i];
        result = interrupts_end(&lane->interrupts, &t->zones, t->counts.last_ns);
        result = result != 0 ? result : last_gaps(t, i);
        result = result != 0 ? result : show_clock_error(t, i, t->counts.last_ns);
    }
    result = result != 0 ? result : frames_end(t);
    result = result != 0 ? result : flows_end(t);
    result = result != 0 ? result : timeline_end_tracks(t);
    free_unread(t);
    memset(t->lanes, 0, sizeof t->lanes);
    t->tasks = (struct tasks){0};
    objects_restart(&t->objects);
    tracks_restart(&t->tracks);
    liveset_free(&t->live);
    zones_restart(&t->zones);
    t->clock_changes = (struct clock_changes){0};
    return result;
}

int timeline_session(struct timeline *t, const char *image, const struct board_info *info,
                     int64_t epoch_ns) {
    int result = t->session == 0 ? 0 : end_session(t);
    t->session++;
    t->counts.sessions++;
    t->info = info;
    struct event event = {.kind = EVENT_SESSION, .time_ns = t->counts.last_ns};
    event.u.session.image = image;
    event.u.session.info = info;
    event.u.session.clock_hz = clockfit_hz(t->clock);
    event.u.session.session = timeline_session_number(t);
    event.u.session.resets = event.u.session.session;
    event.u.session.epoch_ns = epoch_ns;
    return result != 0 ? result : t->emit(t->context, &event);
}

/* The lane reports how many events it had recorded: lane->next is up to date again. */
static void settle_unread(struct lane *lane, uint64_t events, uint64_t ticks) {
    const struct unread_lane place = {&lane->next, &lane->numbers};
    unread_packet_settle(&lane->unread, events, ticks, &place);
}

enum packet_order timeline_order(struct timeline *t, const struct wire_head *head) {
    struct lane *lane = &t->lanes[head->lane];
    settle_unread(lane, head->first, head->ticks);
    switch (event_numbers_judge(&lane->numbers, lane->next, head->first, head->ticks)) {
    case NUMBER_FITS:
    case NUMBER_CONFIRMED:
    case NUMBER_TAKES_BACK:
        return lane->current != NULL ? PACKET_FOLLOWS : PACKET_FIRST;
    case NUMBER_INCREDIBLE:
        return PACKET_INCREDIBLE;
    case NUMBER_BEHIND:
    default:
        break;
    }
    bool again = head->first != 0 || head->ticks == lane->first_ticks;
    return again ? PACKET_REPEATED : PACKET_ANEW;
}

void timeline_refuse(struct timeline *t, const struct wire_head *head) {
    t->counts.incredible++;
    event_numbers_refuse(&t->lanes[head->lane].numbers, head->first, head->count, head->ticks);
}

/* Counts the events that the lane recorded before "first" and did not deliver. */
static void count_missing(struct timeline *t, struct lane *lane, uint64_t first, uint64_t ticks) {
    uint64_t taken_back = 0;
    uint64_t missing = event_numbers_accept(&lane->numbers, lane->next, first, ticks, &taken_back);
    t->counts.lost_link -= taken_back < t->counts.lost_link ? taken_back : t->counts.lost_link;
    timeline_add(&t->counts.lost_link, missing);
    timeline_add(&lane->unshown, missing);
    zones_lost(&t->zones, missing);
    objects_lost(&t->objects, missing);
    if (!lane->seen) {
        timeline_add(&t->counts.lost_before, missing);
        uint32_t lanes = (uint32_t)(lane - t->lanes) + 1;
        t->counts.lanes = lanes > t->counts.lanes ? lanes : t->counts.lanes;
    }
    lane->pending = missing != 0 ? 0 : lane->pending;
    t->counts.repairs += lane->has_stack && missing != 0;
    lane->has_stack = lane->has_stack && missing == 0;
    lane->seen = true;
    lane->next = first;
}

/* A start that an earlier pass found takes precedence: other lanes may have begun before this one. */
static void start_clock(struct timeline *t, uint64_t ticks) {
    uint32_t session = timeline_session_number(t);
    if (!t->clock->based) {
        uint64_t first = ticks;
        bool known = names_start(t->names, session, &first);
        t->clock->ordered = t->clock->ordered || known;
        clockfit_start(t->clock, first < ticks ? first : ticks, t->counts.last_ns);
    }
    names_started(t->names, session, ticks);
}

void timeline_start_known(struct timeline *t) {
    uint64_t ticks = 0;
    if (!t->clock->based && names_start(t->names, timeline_session_number(t), &ticks)) {
        start_clock(t, ticks);
    }
}

int64_t timeline_ns(struct timeline *t, uint64_t ticks) {
    if (!t->clock->based) {
        start_clock(t, ticks);
    }
    names_started(t->names, timeline_session_number(t), ticks);
    const int64_t ns = clockfit_look(t->clock, ticks);
    return ns > t->clock->offset_ns ? ns : t->clock->offset_ns;
}

/* The contexts of the missing packets are unknown, except the last one, which the head states. */
static int go_on_behind_gap(struct timeline *t, const struct wire_head *head, int64_t time_ns) {
    struct lane *lane = &t->lanes[head->lane];
    const int64_t last_ns = lane->last_ns;
    int result = close_lane(t, head->lane, last_ns);
    result = result != 0 ? result : show_gap(t, lane, last_ns, time_ns, lane->unshown, GAP_LINK);
    lane->unshown = 0;
    result =
        result != 0 ? result : switch_context(t, head->lane, head->context, head->ticks, false);
    lane->preempted = NULL;
    result = result != 0 || !t->tasks.told ? result : tasks_go_on(t, head->lane, time_ns);
    result = result != 0 ? result : zones_close(&t->zones, lane->current, last_ns, ZONE_END_LOST);
    return result != 0 ? result : objects_close(&t->objects, lane->current, last_ns, HOLD_END_LOST);
}

int timeline_packet(struct timeline *t, const struct wire_head *head) {
    struct lane *lane = &t->lanes[head->lane];
    start_clock(t, head->ticks);
    int64_t time_ns = clockfit_ns(t->clock, head->ticks);
    count_missing(t, lane, head->first, head->ticks);
    int result = 0;
    if (lane->current == NULL) {
        lane->first_ticks = head->ticks;
        lane->last_ns = t->clock->offset_ns;
        result = switch_context(t, head->lane, head->context, head->ticks, false);
    }
    if (result != 0) {
        return result;
    }
    if (lane->unshown != 0) {
        return go_on_behind_gap(t, head, time_ns);
    }
    /* A lane goes on with its current context, even if that has ended since. */
    const bool goes_on = lane->current->reference == head->context;
    result = goes_on ? 0 : switch_context(t, head->lane, head->context, head->ticks, false);
    return result != 0 ? result : show_clock_error(t, head->lane, time_ns);
}

void timeline_pass_over(struct timeline *t, const struct wire_head *head, struct reader *events) {
    struct lane *lane = &t->lanes[head->lane];
    const struct unread_lane place = {&lane->next, &lane->numbers};
    settle_unread(lane, head->first, head->ticks);
    lane->first_ticks = lane->seen ? lane->first_ticks : head->ticks;
    names_started(t->names, timeline_session_number(t), head->ticks);
    count_missing(t, lane, head->first, head->ticks);
    unread_packet_keep(&lane->unread, head, events, &place);
}

void timeline_packet_end(struct timeline *t, const struct wire_head *head, uint32_t decoded,
                         uint64_t reached) {
    if (decoded != 0) {
        event_numbers_reached(&t->lanes[head->lane].numbers, reached);
    }
    /* Correct CRC, but not as in WIRE.md: a fault of the board's. */
    t->counts.repairs += decoded < head->count ? 1 : 0;
}

void timeline_status(struct timeline *t, uint32_t lane_number, const struct lane_status *status) {
    struct lane *lane = &t->lanes[lane_number];
    uint64_t all = status->events;
    settle_unread(lane, status->events, status->ticks);
    if (status->events < lane->next) {
        return;
    }
    timeline_add(&all, status->pending);
    if (event_numbers_judge(&lane->numbers, lane->next, all, status->ticks) == NUMBER_FITS) {
        count_missing(t, lane, status->events, status->ticks);
        lane->pending = status->pending;
    } else {
        t->counts.incredible++;
    }
}

static inline struct site *site_of(struct timeline *t, uint32_t reference) {
    struct site *site = names_site(t->names, timeline_session_number(t), reference / 2);
    if (site != NULL && !site->known) {
        t->counts.unknown_names++;
    }
    return site;
}

/* It began on another lane: a task has one row on all of them, anything else a row on each. */
static struct track_state *track_on(struct timeline *t, const struct lane *lane,
                                    const struct wire_event *wire) {
    struct track_state *current = lane->current;
    bool everywhere = !current->shared && tracks_lanes(current->reference) == 1u;
    return everywhere ? current : timeline_track(t, wire->word[0], current->reference, wire->ticks);
}

static int zone_end_on(struct timeline *t, const struct lane *lane, const struct wire_event *wire,
                       int64_t time_ns) {
    if (wire->words == 0 || wire->word[0] >= WIRE_LANES) {
        t->counts.repairs++;
        return 0;
    }
    struct track_state *state = track_on(t, lane, wire);
    if (state == NULL) {
        return -ENOMEM;
    }
    /* A row that is not known yet has no zone: it is shown only where the end is marked as one without a zone. */
    const bool silent = state->announced || t->zones.unmatched != 0;
    int result = silent ? 0 : timeline_announce(t, state, time_ns);
    return result != 0 ? result : zones_end(&t->zones, state, time_ns);
}

static int loss(struct timeline *t, struct lane *lane, const struct wire_event *wire,
                int64_t time_ns) {
    uint64_t lost = wire->words > 0 ? wire->word[0] : 0;
    uint64_t ticks = wire->words > 1 ? wire->word[1] : 0;
    lane->next += lost;
    lane->pending = 0;
    timeline_add(&t->counts.lost_ring, lost);
    zones_lost(&t->zones, lost);
    objects_lost(&t->objects, lost);
    int result = zones_settle(&t->zones, lane->current);
    if (result != 0) {
        return result;
    }
    int64_t start_ns = clockfit_ns(t->clock, wire->ticks - (ticks < wire->ticks ? ticks : 0));
    if (wire->words > 2 &&
        wire->word[2] != 0) { /* ends without a promise, and their zones are not known */
        result = close_lane(t, (uint32_t)(lane - t->lanes), time_ns);
    }
    result = result != 0 ? result : show_gap(t, lane, start_ns, time_ns, lost, GAP_RING_FULL);
    return result != 0 || !t->tasks.told ? result
                                         : tasks_go_on(t, (uint32_t)(lane - t->lanes), time_ns);
}

static const char *string_site(void *context, uint32_t index) {
    struct timeline *t = context;
    const struct site *site = names_site(t->names, timeline_session_number(t), index);
    return site != NULL ? site->name : "";
}

/* A mark precedes the value that the link register or the stack's top held where the code of the previous frame was
 * interrupted. The value is a frame only if that code is known to have had no frame of its own. */
static void decide(struct callstack *stack) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stack->count; i++) {
        if (stack->address[i] != KYMO_STACK_HELD) {
            stack->address[kept++] = stack->address[i];
        } else if (i == 0 || !symbols_frameless(stack->symbols, stack->address[i - 1] - 1)) {
            i++;
        }
    }
    stack->count = kept;
}

/* The call stack of the next event of the lane; one before it whose event is missing is left out. */
static int keep_stack(struct timeline *t, struct lane *lane, const struct wire_event *wire) {
    t->counts.repairs += lane->has_stack;
    lane->has_stack = true;
    resolve_stack(&lane->stack, wire);
    lane->stack.symbols = t->symbols;
    decide(&lane->stack);
    return 0;
}

/* An event whose reference is a function. */
static int function_event(struct timeline *t, struct track_state *state,
                          const struct wire_event *wire, int64_t time_ns,
                          const struct callstack *stack) {
    const uint64_t high = wire->words > 0 ? wire->word[0] : 0;
    struct site *site =
        functions_site(&t->functions, t->names, t->symbols, wire->reference | high << 32);
    if (site == NULL) {
        return -ENOMEM;
    }
    if (kind_of(wire->kind)->role == KYMO_ROLE_CLOSES) {
        return zones_function_end(&t->zones, state, site, time_ns,
                                  wire->kind == KYMO_KIND_FUNCTION_LEFT ? ZONE_END_LEFT
                                                                        : ZONE_ENDED);
    }
    struct event event = {
        .kind = EVENT_ZONE_BEGIN, .time_ns = time_ns, .site = site, .stack = stack};
    return zones_function_begin(&t->zones, state, site, &event);
}

static void count_plot(struct timeline *timeline, const struct event *event) {
    const bool finite = event->u.plot.type == PLOT_INT || isfinite(event->u.plot.real);
    timeline->counts.not_finite += finite ? 0 : 1;
}

static void count_sample(struct timeline *timeline, const struct event *event) {
    timeline->counts.samples++;
    timeline_add(&timeline->counts.missed_samples, event->u.sample.missed);
}

static int zone_begin(struct timeline *t, struct track_state *state, const struct wire_event *wire,
                      int64_t time_ns, const struct callstack *stack) {
    struct site *site = site_of(t, wire->reference);
    if (site == NULL) {
        t->counts.repairs++;
        return 0;
    }
    struct event event = {
        .kind = (enum event_kind)wire->kind, .time_ns = time_ns, .site = site, .stack = stack};
    return zones_begin(&t->zones, state, site, &event);
}

/* Sends an event by the part that handles its kind, or as it is. */
static int send_resolved(struct timeline *t, struct track_state *state, const struct kind *kind,
                         struct event *event) {
    if (event->kind == EVENT_MEMORY_DISCARD) {
        return blocks_discard(t, state, event);
    }
    if (event->kind == EVENT_MESSAGE) {
        symbols_heard(t->symbols, event->u.text.bytes);
    }
    if (kind->payload == KYMO_CARRIES_SAMPLE) {
        count_sample(t, event);
    }
    if (kind->role == KYMO_ROLE_SAMPLE) {
        count_plot(t, event);
    }
    if (event->kind == EVENT_ALLOC || event->kind == EVENT_FREE) {
        return blocks_event(t, state, event);
    }
    if (event->kind == EVENT_FRAME_START || event->kind == EVENT_FRAME_END) {
        return frames_event(t, state->lane, event);
    }
    if (kind->payload == KYMO_CARRIES_FLOW) {
        return flows_event(t, state, event);
    }
    return kind->role == KYMO_ROLE_NOTE ? zones_note(&t->zones, state, event)
                                        : timeline_send(t, state, event);
}

static int resolved(struct timeline *t, struct track_state *state, const struct kind *kind,
                    const struct wire_event *wire, int64_t time_ns, const struct callstack *stack) {
    struct event event = {.time_ns = time_ns, .stack = stack};
    if (kind->reference != KYMO_REFERENCE_NONE) {
        event.site = site_of(t, wire->reference);
        if (event.site == NULL) {
            t->counts.repairs++;
            return 0;
        }
    }
    int result = zones_other(&t->zones, state);
    if (result != 0) {
        return result;
    }
    const struct resolve_place place = {
        .text = t->text, .text_bytes = sizeof t->text, .lookup = string_site, .context = t};
    if (!resolve_event(&event, wire, &place)) {
        return 0;
    }
    return send_resolved(t, state, kind, &event);
}

static int context_name(struct timeline *t, uint32_t lane, const struct wire_event *wire,
                        int64_t time_ns) {
    size_t length = resolve_string(t->text, wire, 1);
    struct track_state *state = timeline_track(t, lane, wire->reference, wire->ticks);
    if (state == NULL || state->shared || wire->words == 0 ||
        !tracks_name(&t->tracks, state, t->names, t->text, length, (uint8_t)wire->word[0])) {
        return 0;
    }
    /* A name has no place in time: on another lane, it may come before older events of the task's own lane. */
    const int64_t first_ns = t->timed ? t->counts.first_ns : time_ns;
    return timeline_announce(t, state, state->announced ? state->last_ns : first_ns);
}

/* A lane may still run it, or an interrupt that preempted it, or it began something after its end. */
static bool is_in_use(const struct timeline *t, const struct track_state *state) {
    bool used =
        state->holds != NULL || state->depth != 0 || state->beyond != 0 || state->unfound != 0;
    for (uint32_t lane = 0; lane < WIRE_LANES && !used; lane++) {
        used = t->lanes[lane].current == state || t->lanes[lane].preempted == state ||
               t->tasks.runs[lane] == state;
    }
    return used;
}

/* Two for each that ends, so that those in use do not let the others pile up. */
static int forget_ended(struct timeline *t) {
    struct track_state *state;
    int result = 0;
    for (int i = 0; i < 2 && result == 0 && (state = tracks_take_over(&t->tracks)) != NULL; i++) {
        if (is_in_use(t, state)) {
            tracks_keep_over(&t->tracks, state);
        } else {
            result = timeline_end_track(t, state);
            tracks_forget(&t->tracks, state);
        }
    }
    return result;
}

static int context_end(struct timeline *t, const struct wire_event *wire, int64_t time_ns) {
    struct track_query query = {timeline_session_number(t), 0, wire->reference, wire->ticks};
    int result = 0;
    for (; query.lane < tracks_lanes(wire->reference) && result == 0; query.lane++) {
        struct track_state *state = tracks_end(&t->tracks, t->names, &query);
        result = state != NULL ? zones_close(&t->zones, state, time_ns, ZONE_END_TASK) : 0;
        result = result == 0 && state != NULL
                     ? objects_close(&t->objects, state, time_ns, HOLD_END_TASK)
                     : result;
        result = result == 0 && state != NULL ? tasks_over(t, state, time_ns) : result;
    }
    return result != 0 ? result : forget_ended(t);
}

static int context_event(struct timeline *t, uint32_t lane_number, const struct wire_event *wire,
                         int64_t time_ns) {
    switch (wire->kind) {
    case KYMO_KIND_CONTEXT:
    case KYMO_KIND_CONTEXT_NOW:
        return switch_context(t, lane_number, wire->reference, wire->ticks,
                              wire->kind == KYMO_KIND_CONTEXT);
    case KYMO_KIND_CONTEXT_NAME:
        return context_name(t, lane_number, wire, time_ns);
    default:
        return context_end(t, wire, time_ns);
    }
}

/* The lane had room: ends that found no zone are the firmware's. */
static int report_unfound(struct timeline *t, uint32_t lane_number) {
    int result = 0;
    for (struct track_state *s = t->tracks.ran[lane_number]; s != NULL && result == 0;
         s = s->ran_after) {
        result = zones_report_unfound(&t->zones, s);
    }
    return result;
}

/* The ends of zones and the returns of interrupts, whose room is promised, are recorded also where the ring is full. A
 * context whose switch was refused is stated again before the first event for which there is room. True: so zones have
 * ended that may be those of another context. Inline, as every event asks. */
static inline bool lacks_switch(struct lane *lane, const struct wire_event *wire) {
    const bool ends = lane->ends;
    switch (wire->kind) {
    case KYMO_KIND_ZONE_END:
    case KYMO_KIND_ZONE_END_ON:
    case KYMO_KIND_FUNCTION_END:
    case KYMO_KIND_FUNCTION_LEFT:
        lane->ends = true;
        return false;
    case KYMO_KIND_LOSS:
    case KYMO_KIND_CONTEXT:
        return false;
    case KYMO_KIND_CONTEXT_NOW:
        lane->preempted = NULL;
        lane->ends = false;
        return ends;
    default:
        lane->ends = false;
        return false;
    }
}

static void clock_event(struct timeline *t, const struct wire_event *wire) {
    const enum clock_change change = clock_changes_event(&t->clock_changes, t->clock, wire);
    t->counts.clock_changes += change == CLOCK_CHANGES;
    t->counts.unknown_clocks += change == CLOCK_OF_ANOTHER_DOMAIN;
}

void timeline_clock_stands(struct timeline *t, uint32_t changes, uint64_t slept) {
    clock_changes_state(&t->clock_changes, changes, slept);
}

/* With tracks_run(), as the context may have been elsewhere, where packets were lost. */
static int take_kind(struct timeline *t, uint32_t lane_number, const struct kind *kind,
                     const struct wire_event *wire, int64_t time_ns,
                     const struct callstack *stack) {
    struct lane *lane = &t->lanes[lane_number];
    if (kind->reference == KYMO_REFERENCE_CODE) {
        tracks_run(&t->tracks, lane->current, lane_number);
        return function_event(t, lane->current, wire, time_ns, stack);
    }
    switch (kind->role) {
    case KYMO_ROLE_OPENS:
        tracks_run(&t->tracks, lane->current, lane_number);
        return zone_begin(t, lane->current, wire, time_ns, stack);
    case KYMO_ROLE_CLOSES:
        tracks_run(&t->tracks, lane->current, lane_number);
        return kind->payload == KYMO_CARRIES_LANE ? zone_end_on(t, lane, wire, time_ns)
                                                  : zones_end(&t->zones, lane->current, time_ns);
    case KYMO_ROLE_TASK:
        return tasks_event(t, lane_number, wire, time_ns);
    default:
        break;
    }
    if (kind->reference == KYMO_REFERENCE_CONTEXT) {
        return context_event(t, lane_number, wire, time_ns);
    }
    if (kind->payload == KYMO_CARRIES_CLOCK) {
        clock_event(t, wire);
        return 0;
    }
    if (kind->payload == KYMO_CARRIES_LOSS) {
        return loss(t, lane, wire, time_ns);
    }
    tracks_run(&t->tracks, lane->current, lane_number);
    return kind->reference >= KYMO_REFERENCE_OBJECT
               ? object_event(t, lane->current, wire, time_ns, stack)
               : resolved(t, lane->current, kind, wire, time_ns, stack);
}

int timeline_wire_event(struct timeline *t, uint32_t lane_number, const struct wire_event *wire) {
    struct lane *lane = &t->lanes[lane_number];
    int64_t time_ns = clockfit_ns(t->clock, wire->ticks);
    if (KYMO_KIND_IS_COUNTED(wire->kind)) {
        lane->next++;
        t->counts.delivered++;
    }
    if (lane->current == NULL) {
        return 0;
    }
    const bool ends = lane->ends;
    int result = lacks_switch(lane, wire) ? close_lane(t, lane_number, time_ns) : 0;
    if (ends && !lane->ends && t->zones.unfound != 0 && result == 0) {
        result = report_unfound(t, lane_number);
    }
    if (result != 0) {
        return result;
    }
    if (wire->kind == KYMO_KIND_CALLSTACK) {
        return keep_stack(t, lane, wire);
    }
    const struct callstack *stack = lane->has_stack ? &lane->stack : NULL;
    lane->has_stack = false;
    lane->last_ns = time_ns > lane->last_ns ? time_ns : lane->last_ns;
    const struct kind *kind = kind_of(wire->kind);
    return kind == NULL ? 0 /* of a newer board */
                        : take_kind(t, lane_number, kind, wire, time_ns, stack);
}

int timeline_before_other_names(struct timeline *t) {
    const int result = frames_end(t);
    return result != 0 ? result : flows_end(t);
}

void timeline_named_pool(struct timeline *t, uint32_t index) { blocks_named_pool(t, index); }

void timeline_know(struct timeline *t, const struct symbols *symbols) { t->symbols = symbols; }

int timeline_end(struct timeline *t) { return end_session(t); }

void timeline_counts(const struct timeline *t, struct timeline_counts *counts) {
    *counts = t->counts;
    for (uint32_t i = 0; i < WIRE_LANES; i++) {
        timeline_add(&counts->lost_ring, t->lanes[i].pending);
    }
    counts->tracks = t->tracks.count;
    counts->unnamed_tasks = t->tracks.unnamed;
    counts->unkept_blocks = t->live.refused;
    counts->unkept_objects = t->objects.refused;
    counts->repairs += t->zones.repairs + t->objects.repairs;
}
