/* SPDX-License-Identifier: MIT */
#include "cli/boards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/say.h"
#include "base/utf8.h"
#include "capture/replay.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "kymo/wire.h"
#include "model/across.h"
#include "platform/file.h"

/* Small, so that events of the boards come nearly in the order of time. */
#define PIECE_BYTES 512u
/* Captures whose two host clocks differ by no more were made on one host since it was started. */
#define SAME_HOST_NS INT64_C(1000000000)
#define NAME_BYTES 48u

struct board {
    struct replay replay;
    struct pipeline *names, *events;
    struct pipeline_totals totals;
    struct host_fit fit;
    struct across_board across;
    char name[NAME_BYTES];
    bool any, over;
};

struct boards {
    struct board board[BOARDS_MAX];
    size_t count;
    struct across across;
};

/* ---- what they are called ---- */

/* The file's name, without folder and suffix. */
static void set_name(struct board *b, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    utf8_clean(b->name, sizeof b->name - 4, name,
               dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

/* Names of others before it get a number. */
static void tell_apart(struct boards *all, size_t number) {
    unsigned equal = 1;
    struct board *b = &all->board[number];
    for (size_t i = 0; i < number; i++) {
        const size_t length = strlen(b->name);
        const char *other = all->board[i].name;
        equal +=
            strncmp(other, b->name, length) == 0 && (other[length] == '\0' || other[length] == '#');
    }
    if (equal > 1) {
        snprintf(b->name + strlen(b->name), 4, "#%u", equal % 100u);
    }
}

/* ---- the same one twice ---- */

static bool is_same_content(int a, int b, int64_t size) {
    static uint8_t left[65536], right[65536];
    int64_t at = 0;
    while (at < size) {
        const ssize_t l = sys_read_at(a, left, sizeof left, at),
                      r = sys_read_at(b, right, sizeof right, at);
        if (l <= 0 || l != r || memcmp(left, right, (size_t)l) != 0) {
            return false;
        }
        at += l;
    }
    return true;
}

static bool is_given_twice(const struct boards *all, size_t number) {
    const struct replay *replay = &all->board[number].replay;
    struct sys_status own, other;
    for (size_t i = 0; i < number && sys_status(replay->fd, &own) == 0; i++) {
        const struct replay *before = &all->board[i].replay;
        if (sys_status(before->fd, &other) == 0 && own.bytes == other.bytes &&
            (sys_is_same(&own, &other) ||
             is_same_content(replay->fd, before->fd, (int64_t)own.bytes))) {
            say("%s: the same recording as %s; name each board once", replay->name, before->name);
            return true;
        }
    }
    return false;
}

/* ---- passes ---- */

static void notice(void *context, const char *text) {
    const struct board *b = context;
    say("%s: %s", b->replay.name, text);
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

/* More of the file; *over at its end. 0 or -errno. */
static int feed(struct board *b, struct pipeline *pipeline, bool *over) {
    static uint8_t piece[PIECE_BYTES];
    const ssize_t length = replay_read(&b->replay, piece, sizeof piece);
    *over = length <= 0;
    return length < 0    ? (int)length
           : length == 0 ? pipeline_end(pipeline)
                         : pipeline_feed(pipeline, piece, (size_t)length);
}

static int pass(struct board *b, struct pipeline **pipeline,
                const struct pipeline_callbacks *callbacks) {
    bool over = false;
    *pipeline = pipeline_new(callbacks, b->names);
    int error = *pipeline ? replay_rewind(&b->replay) : -ENOMEM;
    while (!error && !over) {
        error = feed(b, *pipeline, &over);
    }
    return error;
}

/* The names, then the clocks. */
static enum exit_code learn(struct board *b) {
    const struct pipeline_callbacks names = {.context = b, .names_only = true};
    const struct pipeline_callbacks clocks = {
        .context = b, .event = on_look, .host = on_mark, .notice = notice};
    int error = pass(b, &b->names, &names);
    if (!error) {
        pipeline_totals(b->names, &b->totals);
        if (cmd_check_data(&b->replay, &b->totals) != EXIT_OK) {
            return EXIT_NO_DATA;
        }
        struct pipeline *looked = NULL;
        error = pass(b, &looked, &clocks);
        if (looked) {
            pipeline_totals(looked, &b->totals);
            pipeline_free(looked);
        }
    }
    error = error ? error : host_fit_settle(&b->fit);
    if (error) {
        say("%s: cannot be read: %s", b->replay.name, strerror(-error));
    }
    return error ? EXIT_SOURCE : EXIT_OK;
}

/* ---- one time for all ---- */

/* Hosts have monotonic clocks of their own: then Unix time is what they share. */
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
    const struct across_board *boards[BOARDS_MAX] = {0};
    for (size_t i = 0; i < all->count; i++) {
        boards[i] = &all->board[i].across;
    }
    across_settle(a, boards);
    if (!same) {
        say("captured on several hosts, or before and after a start of one: their Unix times are "
            "taken to agree");
    }
}

static void say_clocks(const struct boards *all) {
    for (size_t i = 0; i < all->count; i++) {
        const struct board *b = &all->board[i];
        char text[HUMAN_SIZE];
        bool pinged = false;
        const int64_t bound = b->fit.known ? host_fit_bound(&b->fit, &pinged) : 0;
        human_time(text, (uint64_t)bound);
        if (!b->fit.known) {
            say("%s: no host clock in it: it is shown from the beginning, wherever it belongs",
                b->replay.name);
        } else if (!pinged) {
            say("%s: no pings in it: times by when packets came, within %s if the line takes no "
                "longer",
                b->replay.name, text);
        } else {
            say("%s: times within %s of the host's clock", b->replay.name, text);
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

/* ---- all ---- */

/* The one that is behind goes on. */
static int deliver(struct boards *all) {
    int error = 0;
    for (;;) {
        struct board *next = NULL;
        for (size_t i = 0; i < all->count; i++) {
            struct board *b = &all->board[i];
            if (!b->over && (!next || b->across.reached_ns < next->across.reached_ns)) {
                next = b;
            }
        }
        if (!next || error) {
            return error;
        }
        error = feed(next, next->events, &next->over);
    }
}

static int begin(struct boards *all, struct outputs *outputs) {
    uint32_t cores = 0;
    all->across.to = outputs_consumer(outputs);
    for (size_t i = 0; i < all->count; i++) {
        struct board *b = &all->board[i];
        const struct pipeline_callbacks callbacks = {.context = b, .event = on_event};
        struct across_board *to = &b->across;
        to->first_core = cores;
        to->error = (struct site){.kind = KYMO_SITE_PLOT,
                                  .known = true,
                                  .name = "clock error, ns",
                                  .function = "",
                                  .file = ""};
        cores += b->totals.lanes;
        b->events = pipeline_new(&callbacks, b->names);
        const int error = b->events ? replay_rewind(&b->replay) : -ENOMEM;
        if (error) {
            return error;
        }
    }
    return 0;
}

static enum exit_code write_all(struct boards *all, struct outputs *outputs, bool quiet) {
    set_times(all);
    if (!quiet) {
        say_clocks(all);
    }
    outputs_open(outputs);
    int error = begin(all, outputs);
    error = error ? error : deliver(all);
    const bool written = outputs_close(outputs);
    if (error) {
        say("cannot be read: %s", strerror(-error));
    }
    for (size_t i = 0; i < all->count && !error && !quiet; i++) {
        struct pipeline_totals totals;
        pipeline_totals(all->board[i].events, &totals);
        fprintf(stderr, "%s: ", all->board[i].name);
        summary_events(&totals, stderr);
    }
    say_arrows(&all->across);
    return error || !written ? EXIT_OUTPUT : EXIT_OK;
}

static void free_all(struct boards *all) {
    for (size_t i = 0; i < all->count; i++) {
        struct board *b = &all->board[i];
        if (b->events) {
            pipeline_free(b->events);
        }
        if (b->names) {
            pipeline_free(b->names);
        }
        across_board_free(&b->across);
        host_fit_free(&b->fit);
        replay_close(&b->replay);
    }
    across_free(&all->across);
    free(all);
}

enum exit_code boards_convert(const char *const *paths, size_t count, struct outputs *outputs,
                              bool quiet) {
    struct boards *all = calloc(1, sizeof *all);
    enum exit_code code = all ? EXIT_OK : EXIT_OUTPUT;
    if (!all) {
        say(SAY_NO_MEMORY);
        return code;
    }
    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        struct board *b = &all->board[i];
        const int error = replay_open(&b->replay, paths[i]);
        if (error) {
            code = error == -ENODATA ? EXIT_NO_DATA : EXIT_SOURCE;
            break;
        }
        b->across = (struct across_board){
            .across = &all->across, .number = (uint32_t)i, .name = b->name, .fit = &b->fit};
        all->count++;
        set_name(b, paths[i]);
        tell_apart(all, i);
        code = is_given_twice(all, i) ? EXIT_USAGE : learn(b);
    }
    code = code == EXIT_OK ? write_all(all, outputs, quiet) : code;
    free_all(all);
    return code;
}
