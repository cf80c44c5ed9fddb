/* SPDX-License-Identifier: MIT */
#include "client/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_clock.h"
#include "client/about.h"
#include "client/backlog.h"
#include "client/detached_program.h"
#include "client/own_symbols.h"
#include "kymo/kymo.h"
#include "kymo/tracy.h"
#include "platform/poll.h"
#include "trace/dialogue.h"
#include "trace/pipeline.h"
#include "tracy/server.h"
#include "wire/guard.h"

/* Bytes read from the recorder, and from the backlog, between two looks at the sockets. */
#define DRAIN_BYTES BACKLOG_PIECE_BYTES
#define FEED_BYTES 4096u
/* Images may fill this part of the backlog (1 / IMAGES_PART); the rest is for events alone. */
#define IMAGES_PART 2u
/* More than this is not made ready for a viewer that reads slowly: it waits in the backlog, which is smaller. */
#define QUEUE_BYTES ((size_t)1 << 20)
#define QUEUE_BYTES_MAX ((size_t)32 << 20)
/* How long to sleep: while much is recorded, little, or nothing. A ring of 64 MiB takes 4 million zones. */
#define BUSY_MS 1
#define CALM_MS 5
#define STOPPED_MS 20
#define BUSY_BYTES 1024u
/* At the end, a viewer that shows no sign of life for this long is given up. */
#define FINISH_MS 5000
/* The same time that hostlink waits for late cores. */
#define LATE_MS 250
/* A port that was in use may be free later. */
#define RETRY_MS 1000
#define COMMAND_BYTES 128u

struct worker {
    struct client_settings settings;
    struct tracy_server *server; /* NULL: no port was free */
    struct pipeline *pipeline;
    struct backlog backlog;
    struct dialogue dialogue;
    struct guard guard;
    struct pipeline_totals totals;
    struct kymo_transport transport;
    struct own_symbols own;
    struct symbols symbols;
    char host_info[TRACY_HOST_INFO_BYTES];
    bool ending;  /* atomic. No descriptor that wakes the thread: a program may close all of them */
    bool over;    /* atomic. Nothing more is done here */
    bool watched; /* atomic where others look: a viewer is there */
    bool begun;   /* a viewer has come: the backlog is fed */
    bool finished;                       /* the recorder has given all */
    size_t drained_bytes;                /* in this turn */
    uint64_t complete_ticks, next_ticks; /* nothing earlier will come; so will be said next */
    int64_t next_ms, retry_ms;
    uint8_t command[COMMAND_BYTES]; /* for the recorder */
    size_t command_bytes, command_read;
};

/* ---- the recorder's transport: memory ---- */

static size_t take_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct worker *w = context;
    const size_t taken = backlog_put(&w->backlog, bytes, length);
    w->drained_bytes += taken;
    return taken;
}

static size_t give_command(void *context, uint8_t *bytes, size_t length) {
    struct worker *w = context;
    const size_t left = w->command_bytes - w->command_read;
    const size_t count = length < left ? length : left;
    memcpy(bytes, w->command + w->command_read, count);
    w->command_read += count;
    return count;
}

/* ---- the pipeline's callbacks ---- */

static int on_event(void *context, const struct event *event) {
    struct worker *w = context;
    if (event->kind == EVENT_SESSION) {
        dialogue_restart(&w->dialogue);
    }
    if (w->server != NULL) {
        (void)tracy_server_event(w->server, event); /* short of memory: the viewer lacks an event */
    }
    return 0;
}

static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    const struct worker *w = context;
    if (w->server != NULL) {
        (void)tracy_server_large(w->server, large, bytes, length);
    }
    return 0;
}

static void on_param(void *context, uint32_t index, const char *name, int32_t value,
                     int32_t minimum, int32_t maximum) {
    struct worker *w = context;
    dialogue_param(&w->dialogue, index, name, value, minimum, maximum);
    if (w->server != NULL) {
        (void)tracy_server_param(w->server, index, name, value, minimum == 0 && maximum == 1);
    }
}

static void on_pong(void *context, uint64_t cookie, uint64_t board_ticks) {
    struct worker *w = context;
    (void)board_ticks;
    (void)dialogue_pong(&w->dialogue, cookie, host_monotonic_ns());
}

static void on_notice(void *context, const char *text) {
    const struct worker *w = context;
    if (w->settings.verbose) {
        (void)fprintf(stderr, "kymo: %s\n", text);
    }
}

static void set_param(void *context, uint32_t index, int32_t value) {
    struct worker *w = context;
    (void)params_ask(&w->dialogue.params, index, value);
}

/* ---- one turn ---- */

static int64_t now_ms(void) { return (int64_t)(host_monotonic_ns() / NS_PER_MS); }

static void listen_for_viewers(struct worker *w) {
    const int64_t now = now_ms();
    const struct tracy_server_options options = {
        .address = w->settings.address,
        .port = w->settings.port,
        .slow = TRACY_SLOW_DROP,
        .announce = w->settings.announce,
        .session_first = true,
        .sources = {.as_named = w->settings.only_localhost},
        .program = w->settings.program,
        .queue_bytes = QUEUE_BYTES_MAX,
        .epoch_s = (int64_t)(host_unix_ns() / NS_PER_S),
        .process = (uint64_t)getpid(),
        .machine = about_machine(),
        .host_info = w->host_info,
        .lanes_are_no_cores = true,
        .context = w,
        .notice = on_notice,
        .set_param = set_param,
    };
    if (w->server == NULL && now >= w->retry_ms) {
        w->retry_ms = now + RETRY_MS;
        if (tracy_server_open(&w->server, &options) == 0 && w->settings.verbose) {
            (void)fprintf(stderr, "kymo: viewers connect to port %u\n",
                          (unsigned)tracy_server_port(w->server));
        }
    }
}

/* The rings were empty after this time, so no earlier event comes, except from a thread that has read the clock and has
 * not run since. So the time counts only LATE_MS later. */
static void note_complete(struct worker *w, uint64_t ticks) {
    const int64_t now = now_ms();
    if (now - w->next_ms >= LATE_MS) {
        w->complete_ticks = w->next_ticks;
        w->next_ticks = ticks;
        w->next_ms = now;
    }
}

/* Moves recorded bytes to the backlog while it has room. Before the first viewer it drains only pending events, not the
 * repeated status. */
static void drain(struct worker *w) {
    const uint64_t before = kymo_clock_now();
    const size_t most = w->drained_bytes + DRAIN_BYTES;
    bool more = true;
    while (w->drained_bytes < most && more) {
        more = (w->begun || kymo_pending()) && kymo_drain(0);
    }
    if (!more && !kymo_pending()) {
        note_complete(w, before);
    }
    kymo_client_wants_images(w->backlog.bytes < w->backlog.limit / IMAGES_PART);
}

/* While a program that knows the symbols answers. */
static void drain_meanwhile(void *context) { drain(context); }

static bool may_feed(const struct worker *w) {
    return w->begun && (w->server == NULL || tracy_server_queued(w->server) < QUEUE_BYTES);
}

/* The rings come first: bytes in the backlog are safe, and moving them there takes a sixth of the work. */
static void feed(struct worker *w) {
    size_t length;
    const uint8_t *bytes;
    while (may_feed(w) && (bytes = backlog_peek(&w->backlog, FEED_BYTES, &length)) != NULL) {
        (void)pipeline_feed(w->pipeline, bytes, length);
        backlog_drop(&w->backlog, length);
        drain(w);
    }
    if (w->begun && w->backlog.bytes == 0) {
        (void)pipeline_complete(w->pipeline, w->complete_ticks);
    }
}

/* Sends the same commands as hostlink sends to a board. */
static void talk(struct worker *w) {
    uint8_t command[COMMAND_BYTES];
    pipeline_totals(w->pipeline, &w->totals);
    if (w->command_read < w->command_bytes) {
        return;
    }
    const struct dialogue_view view = {
        .packets = w->totals.packets,
        .sessions = w->totals.sessions,
        .wants_names = pipeline_wants_names(w->pipeline),
    };
    const uint64_t now_ns = host_monotonic_ns();
    const size_t length = dialogue_next(&w->dialogue, &view, now_ns, command, sizeof command);
    w->command_read = 0;
    w->command_bytes =
        guard_line(&w->guard, w->command, sizeof w->command, command, length, now_ns);
}

static void look_for_viewer(struct worker *w) {
    const bool watched = w->server != NULL && tracy_server_is_greeted(w->server);
    if (watched && !w->watched) {
        w->begun = true;
        w->dialogue.started = false;
        if (w->settings.on_demand) {
            kymo_start();
        }
    } else if (!watched && w->watched && w->settings.on_demand) {
        kymo_stop();
    }
    __atomic_store_n(&w->watched, watched, __ATOMIC_RELAXED);
}

static bool is_ending(const struct worker *w) {
    return __atomic_load_n(&w->ending, __ATOMIC_ACQUIRE);
}

static void wait_a_little(struct worker *w) {
    struct sys_poll fds[TRACY_SERVER_FDS];
    const size_t count = w->server != NULL ? tracy_server_poll(w->server, fds) : 0;
    const int timeout_ms = w->drained_bytes >= DRAIN_BYTES                  ? 0
                           : w->drained_bytes >= BUSY_BYTES || is_ending(w) ? BUSY_MS
                           : kymo_is_recording()                            ? CALM_MS
                                                                            : STOPPED_MS;
    (void)sys_poll(fds, count, timeout_ms);
}

static void turn(struct worker *w) {
    listen_for_viewers(w);
    w->drained_bytes = 0;
    drain(w);
    feed(w);
    if (w->server != NULL) {
        (void)tracy_server_step(w->server);
    }
    look_for_viewer(w);
    if (w->watched) {
        talk(w);
    }
    wait_a_little(w);
}

/* ---- its life ---- */

struct worker *worker_new(const struct client_settings *settings) {
    struct worker *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    const struct pipeline_callbacks callbacks = {.context = w,
                                                 .event = on_event,
                                                 .pong = on_pong,
                                                 .param = on_param,
                                                 .large = on_large,
                                                 .large_context = w,
                                                 .notice = on_notice};
    w->settings = *settings;
    w->backlog.limit = settings->backlog_bytes;
    w->pipeline = pipeline_new(&callbacks, NULL);
    if (w->pipeline == NULL) {
        worker_free(w);
        return NULL;
    }
    w->own.program = w->settings.symbolizer[0] != '\0' ? w->settings.symbolizer : NULL;
    w->own.host = (struct tool_host){
        .start = detached_program_start, .meanwhile = drain_meanwhile, .context = w};
    w->own.warn = on_notice;
    w->own.context = w;
    about_host(w->host_info, sizeof w->host_info);
    w->symbols = (struct symbols){.state = &w->own,
                                  .find = own_symbols_find,
                                  .code = own_symbols_code,
                                  .is_ready = own_symbols_are_ready};
    pipeline_know_symbols(w->pipeline, &w->symbols);
    kymo_transport_set(&w->transport, take_bytes, give_command, w);
    listen_for_viewers(w);
    return w;
}

bool worker_is_watched(const struct worker *w) {
    return __atomic_load_n(&w->watched, __ATOMIC_RELAXED);
}

bool worker_is_over(const struct worker *w) { return __atomic_load_n(&w->over, __ATOMIC_ACQUIRE); }

void worker_end(struct worker *w) { __atomic_store_n(&w->ending, true, __ATOMIC_RELEASE); }

static bool waits_for_viewer(const struct worker *w) {
    return w->settings.no_exit && !w->begun && w->server != NULL;
}

/* Sends all recorded events to the viewer, then the end. Recording is off, or the end might never come; a viewer that
 * reads nothing is given up. */
static void finish(struct worker *w) {
    size_t left = SIZE_MAX;
    int64_t since_ms = now_ms();
    kymo_stop();
    kymo_finish();
    while (w->watched && (kymo_pending() || w->backlog.bytes != 0) &&
           now_ms() - since_ms < FINISH_MS) {
        turn(w);
        const size_t now_left = w->backlog.bytes + tracy_server_queued(w->server);
        since_ms = now_left != left ? now_ms() : since_ms;
        left = now_left;
    }
    (void)pipeline_end(w->pipeline);
    (void)tracy_server_finish(w->server, FINISH_MS);
}

void worker_run(struct worker *w) {
    kymo_lane_name("threads beyond KYMO_CLIENT_LANES"); /* this one has the spare lane, too */
    kymo_init(&w->transport, w->settings.program);
    while (!is_ending(w)) {
        turn(w);
    }
    while (waits_for_viewer(w)) {
        turn(w);
    }
    if (w->watched) {
        finish(w);
    }
    __atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
}

void worker_free(struct worker *w) {
    tracy_server_close(w->server);
    pipeline_free(w->pipeline);
    own_symbols_free(&w->own);
    backlog_free(&w->backlog);
    free(w);
}

void worker_abandon(struct worker *w) {
    own_symbols_abandon(&w->own);
    if (w->server != NULL) {
        tracy_server_abandon(w->server);
    }
}
