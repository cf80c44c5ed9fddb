/* SPDX-License-Identifier: MIT */
#include "cli/boards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/say.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "cli/convert.h"
#include "kymo/wire.h"
#include "model/across.h"
#include "platform/file.h"

/* Small, so that events of the boards come nearly in the order of time. */
#define PIECE_BYTES 512u
/* Captures whose two host clocks differ by no more were made on one host since it was started. */
#define SAME_HOST_NS INT64_C(1000000000)

struct board {
    struct replay replay;
    struct pipeline *names, *events;
    struct pipeline *looked; /* of the pass before, whose rows and sites its receiver may hold */
    struct pipeline_totals totals;
    struct host_fit fit;
    struct across_board across;
    const struct receivers *receivers;
    const struct pipeline_callbacks *to;
    const char *name;
    bool any, over;
};

struct boards {
    struct board board[REPLAY_BOARDS_MAX];
    size_t count;
    struct across across;
    bool same_host;
};

/* ---- what they are called ---- */

void boards_name(char *name, size_t size, const char *path) {
    const char *last = sys_last_part(path);
    const char *base = last[0] != '\0' ? last : path;
    const char *dot = strrchr(base, '.');
    utf8_clean(name, size, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

void boards_tell_apart(struct replay_board *list, uint32_t number) {
    unsigned equal = 1;
    char *name = list[number].name;
    for (uint32_t i = 0; i < number; i++) {
        const size_t length = strlen(name);
        const char *other = list[i].name;
        equal +=
            strncmp(other, name, length) == 0 && (other[length] == '\0' || other[length] == '#');
    }
    if (equal > 1) {
        name[utf8_cut(name, strlen(name), BOARD_NAME_BYTES - 4)] = '\0';
        snprintf(name + strlen(name), 4, "#%u", equal % 100u);
    }
}

/* ---- passes ---- */

static void notice(void *context, const char *text) {
    const struct board *b = context;
    if (b->receivers->notice) {
        say("%s: %s", b->name, text);
    }
}

static int on_mark(void *context, const struct host_mark *mark) {
    return host_fit_take(&((struct board *)context)->fit, mark);
}

static int on_look(void *context, const struct event *event) {
    struct board *b = context;
    if (event->kind != EVENT_SESSION && event->kind != EVENT_TRACK &&
        (!b->any || event->time_ns < b->across.first_ns)) {
        b->any = true;
        b->across.first_ns = event->time_ns;
    }
    return across_learn(&b->across, event);
}

static int on_event(void *context, const struct event *event) {
    struct board *b = context;
    return across_event(&b->across, event);
}

static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    const struct board *b = context;
    return b->to->large ? b->to->large(b->to->large_context, large, bytes, length) : 0;
}

/* More of the stream; *over at its end. 0 or -errno. */
static int feed(struct board *b, struct pipeline *pipeline, bool *over) {
    static uint8_t piece[PIECE_BYTES];
    const ssize_t length = replay_read(&b->replay, piece, sizeof piece);
    *over = length <= 0;
    return length < 0    ? (int)length
           : length == 0 ? pipeline_end(pipeline)
                         : pipeline_feed(pipeline, piece, (size_t)length);
}

static int start(struct board *b, struct pipeline **pipeline,
                 const struct pipeline_callbacks *callbacks) {
    *pipeline = pipeline_new(callbacks, b->names);
    if (!*pipeline) {
        return -ENOMEM;
    }
    pipeline_know(*pipeline, b->receivers->image);
    pipeline_know_symbols(*pipeline, b->receivers->symbols);
    return replay_rewind(&b->replay);
}

static int pass(struct board *b, struct pipeline **pipeline,
                const struct pipeline_callbacks *callbacks) {
    bool over = false;
    int error = start(b, pipeline, callbacks);
    while (!error && !over) {
        error = feed(b, *pipeline, &over);
    }
    if (*pipeline) {
        pipeline_totals(*pipeline, &b->totals);
    }
    return error;
}

/* The names, then the clocks. One that was never heard is left out. */
static int learn(struct board *b) {
    const struct pipeline_callbacks names = {.context = b, .names_only = true};
    const struct pipeline_callbacks clocks = {
        .context = b, .event = on_look, .host = on_mark, .notice = notice};
    int error = pass(b, &b->names, &names);
    if (!error && !totals_heard_board(&b->totals)) {
        say("%s: nothing that a board sends is in its part", b->name);
        return 0;
    }
    if (!error) {
        struct pipeline *looked = NULL;
        error = pass(b, &looked, &clocks);
        pipeline_free(looked);
    }
    error = error ? error : host_fit_settle(&b->fit);
    if (error) {
        say("%s: cannot be read: %s", b->name, strerror(-error));
    }
    return error;
}

/* ---- one time for all ---- */

/* Each host has a monotonic clock of its own: different hosts share only Unix time. */
static bool share_a_host(const struct boards *all) {
    const struct host_fit *first = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct host_fit *fit = &all->board[i].fit;
        first = first ? first : fit->known ? fit : NULL;
        if (first && fit->known && llabs(fit->unix_ns - first->unix_ns) > SAME_HOST_NS) {
            return false;
        }
    }
    return true;
}

static void set_times(struct boards *all) {
    struct across *a = &all->across;
    const bool same = share_a_host(all);
    bool any = false;
    for (size_t i = 0; i < all->count; i++) {
        struct board *b = &all->board[i];
        if (!b->fit.known) {
            continue;
        }
        if (!same) {
            b->across.host_ns = b->fit.unix_ns;
        }
        const int64_t at = host_fit_ns(&b->fit, 0, b->across.first_ns, NULL) + b->across.host_ns;
        if (!any || at < a->base_ns) {
            a->base_ns = at;
            a->epoch_ns = same ? at + b->fit.unix_ns : at;
        }
        any = true;
    }
    const struct across_board *boards[REPLAY_BOARDS_MAX] = {0};
    for (size_t i = 0; i < all->count; i++) {
        boards[i] = &all->board[i].across;
    }
    across_settle(a, boards);
    all->same_host = same;
}

static void say_clocks(const struct boards *all) {
    if (!all->same_host) {
        say("captured on several hosts, or before and after a start of one: their Unix times are "
            "taken to agree");
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct board *b = &all->board[i];
        if (!totals_heard_board(&b->totals)) {
            continue;
        }
        char text[HUMAN_SIZE];
        bool pinged = false;
        const int64_t bound = b->fit.known ? host_fit_bound(&b->fit, &pinged) : 0;
        human_time(text, (uint64_t)bound);
        if (!b->fit.known) {
            say("%s: no host clock in it: it is shown from the beginning, wherever it belongs",
                b->name);
        } else if (!pinged) {
            say("%s: no pings in it: times by when packets came, within %s if the line takes no "
                "longer",
                b->name, text);
        } else {
            say("%s: times within %s of the host's clock", b->name, text);
        }
    }
}

static void say_arrows(const struct across *a) {
    if (a->too_short > 0) {
        say("%" PRIu64 " of %" PRIu64
            " arrows between boards are shorter than their clocks are exact",
            a->too_short, a->arrows);
    }
    if (a->backwards > 0) {
        say("%" PRIu64 " flows would lead back in time from one board to another: not joined",
            a->backwards);
    }
}

void boards_say(const struct boards *boards) {
    if (boards) {
        say_clocks(boards);
        say_arrows(&boards->across);
    }
}

/* ---- all ---- */

struct boards *boards_new(struct replay *replay) {
    struct boards *all = calloc(1, sizeof *all);
    for (uint32_t i = 0; all && i < replay->board_count; i++) {
        struct board *b = &all->board[i];
        boards_tell_apart(replay->boards, i);
        b->name = replay->boards[i].name;
        replay_view(&b->replay, replay, i);
        b->across = (struct across_board){
            .across = &all->across, .board = {.number = i, .name = b->name}, .fit = &b->fit};
        all->count++;
    }
    return all;
}

int boards_learn(struct boards *all, const struct receivers *receivers) {
    int error = 0;
    for (size_t i = 0; i < all->count && !error; i++) {
        all->board[i].receivers = receivers;
        error = learn(&all->board[i]);
    }
    if (!error) {
        set_times(all);
    }
    return error;
}

static int begin(struct boards *all, const struct pipeline_callbacks *to) {
    uint32_t cores = 0;
    int error = 0;
    all->across.to = (struct consumer){.state = to->context, .event = to->event};
    across_rewind(&all->across);
    for (size_t i = 0; i < all->count && !error; i++) {
        struct board *b = &all->board[i];
        const struct pipeline_callbacks callbacks = {
            .context = b, .event = on_event, .large = on_large, .large_context = b};
        struct across_board *across = &b->across;
        across->first_core = cores;
        across->error = (struct site){.kind = KYMO_SITE_PLOT,
                                      .known = true,
                                      .name = "clock error, ns",
                                      .function = "",
                                      .file = ""};
        across_board_rewind(across);
        cores += b->totals.lanes;
        b->to = to;
        pipeline_free(b->looked);
        b->looked = b->events;
        b->events = NULL;
        b->over = !totals_heard_board(&b->totals);
        error = b->over ? 0 : start(b, &b->events, &callbacks);
    }
    return error;
}

/* The board with the earliest time goes on. */
static struct board *next_of(struct boards *all) {
    struct board *next = NULL;
    for (size_t i = 0; i < all->count; i++) {
        struct board *b = &all->board[i];
        if (!b->over && (!next || b->across.board.last_ns < next->across.board.last_ns)) {
            next = b;
        }
    }
    return next;
}

int boards_deliver(struct boards *all, const struct pipeline_callbacks *callbacks) {
    int error = begin(all, callbacks);
    for (struct board *b; !error && (b = next_of(all)) != NULL;) {
        error = b->receivers->outputs && stop_wanted() ? -EINTR : feed(b, b->events, &b->over);
    }
    if (error && error != -EINTR) {
        say("cannot be read: %s", strerror(-error));
    }
    for (size_t i = 0; i < all->count; i++) {
        if (all->board[i].events) {
            pipeline_totals(all->board[i].events, &all->board[i].totals);
        }
    }
    return error;
}

void boards_add_totals(struct pipeline_totals *sum, const struct pipeline_totals *one) {
    static const size_t counts[] = {
#define COUNT(member) offsetof(struct pipeline_totals, member)
        COUNT(emitted),
        COUNT(delivered),
        COUNT(lost),
        COUNT(lost_ring),
        COUNT(lost_link),
        COUNT(lost_before),
        COUNT(packets),
        COUNT(bad_packets),
        COUNT(copies),
        COUNT(text_packets),
        COUNT(bytes),
        COUNT(junk_bytes),
        COUNT(event_bytes),
        COUNT(samples),
        COUNT(missed_samples),
        COUNT(repairs),
        COUNT(unknown_names),
        COUNT(incredible),
        COUNT(not_finite),
        COUNT(unkept_blocks),
        COUNT(shared_switches),
        COUNT(unkept_objects),
        COUNT(clock_changes),
        COUNT(unknown_clocks),
        COUNT(large_whole),
        COUNT(large_cut),
        COUNT(large_cancelled),
        COUNT(large_bytes),
        COUNT(unknown_packets),
        COUNT(short_flows)
#undef COUNT
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t a, b;
        memcpy(&a, (const char *)sum + counts[i], sizeof a);
        memcpy(&b, (const char *)one + counts[i], sizeof b);
        a += b;
        memcpy((char *)sum + counts[i], &a, sizeof a);
    }
    sum->usage |= one->usage;
    sum->sessions += one->sessions;
    sum->devices.blocks += one->devices.blocks;
    sum->devices.records += one->devices.records;
    sum->lanes += one->lanes;
    sum->tracks += one->tracks;
    sum->unnamed_tasks += one->unnamed_tasks;
    sum->sites += one->sites;
    sum->unknown_sites += one->unknown_sites;
    sum->names_in_elf = sum->names_in_elf || one->names_in_elf;
    sum->wrong_elf = sum->wrong_elf && one->wrong_elf;
    sum->final = sum->final && one->final;
    sum->line_fault = sum->line_fault ? sum->line_fault : one->line_fault;
    if (sum->text[0] == '\0') {
        memcpy(sum->text, one->text, sizeof sum->text);
    }
    if (sum->clock_text[0] == '\0') {
        memcpy(sum->clock_text, one->clock_text, sizeof sum->clock_text);
    }
}

void boards_totals(const struct boards *all, struct pipeline_totals *totals) {
    bool any = false;
    *totals = (struct pipeline_totals){.wrong_elf = true, .final = true};
    for (size_t i = 0; i < all->count; i++) {
        const struct board *b = &all->board[i];
        if (!totals_heard_board(&b->totals)) {
            continue;
        }
        boards_add_totals(totals, &b->totals);
        totals->last_ns =
            b->across.board.last_ns > totals->last_ns ? b->across.board.last_ns : totals->last_ns;
        any = true;
    }
    totals->repairs -= all->across.joined < totals->repairs ? all->across.joined : totals->repairs;
    totals->wrong_elf = totals->wrong_elf && any;
    totals->final = totals->final && any;
}

void boards_free(struct boards *all) {
    for (size_t i = 0; i < all->count; i++) {
        struct board *b = &all->board[i];
        pipeline_free(b->events);
        pipeline_free(b->looked);
        pipeline_free(b->names);
        across_board_free(&b->across);
        host_fit_free(&b->fit);
    }
    across_free(&all->across);
    free(all);
}
