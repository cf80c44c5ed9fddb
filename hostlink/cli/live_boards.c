/* SPDX-License-Identifier: MIT */
#include "cli/live_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/human.h"
#include "base/say.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "cli/boards.h"
#include "cli/capture_file.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/silence.h"
#include "cli/summary.h"
#include "kymo/wire.h"
#include "model/across.h"
#include "platform/file.h"
#include "platform/poll.h"
#include "wire/command.h"

/* The timeline begins this long before the first event, for earlier events of other boards. */
#define BEFORE_NS (10 * NS_PER_S)
/* Viewers know parameters by a number: the board's above that of its site. */
#define PARAM_BOARD_SHIFT 20
#define STATUS_BYTES 512u

struct live_board {
    struct live_boards *all;
    struct live live;
    struct source source;
    struct host_live clock;
    struct host_fit none;
    struct across_board across;
    struct viewer adapter;
    const char *name;
    uint64_t shown_bytes, shown_events;
    bool over;
};

struct live_boards {
    struct live_settings *settings;
    struct replay_board names[REPLAY_BOARDS_MAX];
    struct live_board board[REPLAY_BOARDS_MAX];
    size_t count;
    struct across across;
    bool begun; /* the timeline has its beginning */
    struct viewer *viewers[VIEWERS_MAX];
    size_t viewer_count;
    struct pipeline_totals totals;
    struct capture capture;
    struct tracy_live tracy;
    uint64_t start_ns, shown_ns;
};

/* ---- events of all ---- */

static void give_up_viewer(struct live_boards *all, size_t number, int error) {
    say("%s: %s; the capture goes on without it", all->viewers[number]->consumer.name,
        strerror(-error));
    all->viewers[number] = all->viewers[--all->viewer_count];
}

static int give_all(void *context, const struct event *event) {
    struct live_boards *all = context;
    for (size_t i = 0; i < all->viewer_count; i++) {
        const struct consumer *consumer = &all->viewers[i]->consumer;
        const int error = consumer->event(consumer->state, event);
        if (error) {
            give_up_viewer(all, i--, error);
        }
    }
    return 0;
}

/* The board's clock is guessed until the first mark of a session comes. */
static void look_at_clock(struct live_board *b, const struct event *event) {
    const bool is_session = event->kind == EVENT_SESSION;
    struct host_mark mark = {.session =
                                 is_session ? event->u.session.session : event->track->session};
    if (is_session || !host_live_knows(&b->clock, mark.session)) {
        if (is_session || !pipeline_host_guess(b->live.pipeline, &mark)) {
            mark.board_ns = event->time_ns;
            mark.host_ns = (int64_t)b->live.now_ns;
        }
        b->clock.known = b->clock.known && !is_session;
        host_live_take(&b->clock, &mark);
        if (is_session) {
            b->clock.known = false; /* the first event gives more */
            b->clock.session = mark.session;
        }
    }
    struct across *across = &b->all->across;
    if (!b->all->begun) {
        b->all->begun = true;
        across->base_ns = (int64_t)(b->live.now_ns - BEFORE_NS);
        across->epoch_ns = (int64_t)(host_unix_ns() - BEFORE_NS);
    }
}

static int on_event(void *context, const struct event *event) {
    struct live_board *b = context;
    look_at_clock(b, event);
    say_about(NULL); /* viewers speak of all */
    const int error = across_event(&b->across, event);
    say_about(b->name);
    return error;
}

static int on_mark(void *context, const struct host_mark *mark) {
    host_live_take(&((struct live_board *)context)->clock, mark);
    return 0;
}

static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    const struct live_board *b = context;
    for (size_t i = 0; i < b->all->viewer_count; i++) {
        const struct consumer *consumer = &b->all->viewers[i]->consumer;
        if (consumer->large) {
            (void)consumer->large(consumer->state, large, bytes, length);
        }
    }
    return 0;
}

static int on_param(void *context, uint32_t index, const char *name, int32_t value,
                    bool is_switch) {
    const struct live_board *b = context;
    char full[BOARD_NAME_BYTES + PARAM_NAME_BYTES + 2];
    snprintf(full, sizeof full, "%s/%s", b->name, name);
    for (size_t i = 0; i < b->all->viewer_count; i++) {
        const struct viewer *viewer = b->all->viewers[i];
        if (viewer->param) {
            (void)viewer->param(viewer->consumer.state,
                                b->across.board.number << PARAM_BOARD_SHIFT | index, full, value,
                                is_switch);
        }
    }
    return 0;
}

static bool wants_param(void *context) {
    const struct live_board *b = context;
    for (size_t i = 0; i < b->all->viewer_count; i++) {
        const struct viewer *viewer = b->all->viewers[i];
        if (viewer->wants_param && viewer->wants_param(viewer->consumer.state)) {
            return true;
        }
    }
    return false;
}

static void set_param(void *context, uint32_t index, int32_t value) {
    struct live_boards *all = context;
    const uint32_t number = index >> PARAM_BOARD_SHIFT;
    if (number < all->count) {
        (void)params_ask(&all->board[number].live.dialogue.params,
                         index & ((1u << PARAM_BOARD_SHIFT) - 1), value);
    }
}

/* ---- the sources ---- */

/* A server that is not up yet, or with --reconnect anything that is not there. */
static bool may_come(const struct live_settings *settings, const char *name, int error) {
    const bool is_away = error == -ECONNREFUSED || error == -ETIMEDOUT || error == -EHOSTUNREACH;
    return (is_away && strncmp(name, "tcp:", 4) == 0 && settings->wait != LIVE_WAIT_NEVER) ||
           (settings->wait == LIVE_WAIT_ALWAYS && error != -EINVAL);
}

static enum exit_code open_source(struct live_board *b, const char *path) {
    const struct live_settings *settings = b->all->settings;
    const int error = source_open(&b->source, path, &settings->line);
    if (!error && !b->source.live) {
        say("%s: a file; boards that run are captured together, files are put together by "
            "'hostlink merge'",
            path);
        source_close(&b->source);
        b->source.fd = -1;
        return EXIT_USAGE;
    }
    if (error && !may_come(settings, path, error)) {
        say("%s: %s", path, b->source.why);
        b->source.fd = -1;
        return EXIT_SOURCE;
    }
    if (error) {
        say("%s: %s; waiting for it", path, b->source.why);
        b->source = (struct source){.fd = -1,
                                    .live = true,
                                    .returns = SOURCE_MAY_RETURN,
                                    .name = path,
                                    .options = settings->line};
        b->live.away = true;
    }
    return EXIT_OK;
}

/* "ttyUSB0", "pts/3", "tcp:lab:5000" */
static void set_name(struct live_boards *all, uint32_t number, const char *path) {
    char *name = all->names[number].name;
    const char *slash = strrchr(path, '/');
    const char *from = strncmp(path, "/dev/", 5) == 0 ? path + 5
                       : slash && slash[1]            ? slash + 1
                                                      : path;
    utf8_clean(name, sizeof all->names[number].name, from, strlen(from));
    boards_tell_apart(all->names, number);
}

static enum exit_code open_all(struct live_boards *all) {
    const struct live_settings *settings = all->settings;
    enum exit_code code = EXIT_OK;
    for (uint32_t i = 0; i < settings->source_count && code == EXIT_OK; i++) {
        struct live_board *b = &all->board[i];
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(settings->sources[k], settings->sources[i]) == 0) {
                say("%s: named twice", settings->sources[i]);
                return EXIT_USAGE;
            }
        }
        b->all = all;
        b->name = all->names[i].name;
        set_name(all, i, settings->sources[i]);
        code = open_source(b, settings->sources[i]);
        all->count += code == EXIT_OK;
    }
    return code;
}

/* ---- the status line ---- */

static void add_status(struct live_board *b, uint64_t since_ns, char *line, size_t size) {
    char rate[HUMAN_SIZE], lost[48] = "";
    const struct pipeline_totals *totals = &b->live.totals;
    const size_t used = strlen(line);
    const double events = (double)(totals->delivered - b->shown_events);
    const uint64_t silent_ns = silence_ns(&b->live);
    b->shown_events = totals->delivered;
    if (totals->lost > 0) {
        snprintf(lost, sizeof lost, " lost %" PRIu64, totals->lost);
    }
    if (b->over || b->live.away || silent_ns > 0 || !totals_heard_board(totals)) {
        snprintf(line + used, size - used, "  %s: %s%s", b->name,
                 b->over          ? "over"
                 : b->live.away   ? "away"
                 : silent_ns == 0 ? "nothing yet"
                                  : "silent",
                 lost);
    } else {
        snprintf(line + used, size - used, "  %s: %s%s", b->name,
                 human_number(rate, events * 1e9 / (double)since_ns, "ev/s"), lost);
    }
}

static void show_status(struct live_boards *all, uint64_t now_ns) {
    char line[STATUS_BYTES];
    const uint64_t since_ns = now_ns - all->shown_ns, seconds = (now_ns - all->start_ns) / NS_PER_S;
    if (all->settings->quiet || since_ns < status_period_ns()) {
        return;
    }
    all->shown_ns = now_ns;
    snprintf(line, sizeof line, "%02" PRIu64 ":%02" PRIu64, seconds / 60, seconds % 60);
    for (size_t i = 0; i < all->count; i++) {
        add_status(&all->board[i], since_ns, line, sizeof line);
    }
    status_show(line, sizeof line);
}

/* ---- the run ---- */

static void set_up(struct live_boards *all, uint32_t number) {
    struct live_board *b = &all->board[number];
    const struct live_settings *settings = all->settings;
    const bool away = b->live.away;
    b->across = (struct across_board){.across = &all->across,
                                      .board = {.number = number, .name = b->name},
                                      .fit = &b->none,
                                      .live = &b->clock};
    b->across.error = (struct site){.kind = KYMO_SITE_PLOT,
                                    .known = true,
                                    .name = "clock error, ns",
                                    .function = "",
                                    .file = ""};
    b->adapter = (struct viewer){
        .consumer = {.name = b->name, .state = b, .event = on_event, .large = on_large},
        .wants_param = wants_param,
        .param = on_param};
    b->live = (struct live){.source = &b->source,
                            .capture = &all->capture,
                            .idle_ns = settings->idle_ns,
                            .duration_ns = settings->duration_ns,
                            .baud = settings->line.baud,
                            .keep = settings->keep,
                            .wait = settings->wait,
                            .commands = !settings->no_commands,
                            .quiet = true,
                            .image = elf_names_image(&settings->elf),
                            .key = settings->key.given ? settings->key.bytes : NULL,
                            .board_out = outputs_use_stdout(&settings->outputs) ? stderr : stdout,
                            .board = b->name,
                            .number = number,
                            .host = on_mark,
                            .host_context = b,
                            .viewers = {&b->adapter},
                            .viewer_count = 1,
                            .away = away};
    uint8_t head[BOARD_PACKET_BYTES];
    (void)capture_write(&all->capture, head, packet_board(head, sizeof head, number, 0, b->name));
    live_begin(&b->live);
}

/* Its end is not that of the others. */
static void end_board(struct live_board *b) {
    b->over = true;
    if (b->live.end != LIVE_NO_MEMORY) {
        live_finish(&b->live);
    }
    source_close(&b->source);
    b->source.fd = -1;
    if (b->live.end == LIVE_SOURCE_FAILED) {
        say("the source failed: %s", strerror(-b->live.error));
    } else if (b->live.end != LIVE_STOPPED) {
        say("%s", live_end_text(&b->live));
    }
    silence_of_end(&summary_says, &b->live);
}

static size_t fill(const struct live_boards *all, struct sys_poll *fds) {
    size_t count = 0;
    for (; count < all->count; count++) {
        const struct live_board *b = &all->board[count];
        fds[count] = (struct sys_poll){.fd = b->over || b->live.away ? -1 : b->source.fd,
                                       .events = SYS_POLL_IN};
    }
    for (size_t i = 0; i < all->viewer_count; i++) {
        const struct consumer *consumer = &all->viewers[i]->consumer;
        count += consumer->poll ? consumer->poll(consumer->state, fds + count) : 0;
    }
    return count;
}

static uint64_t watch_ns(const struct live_boards *all) {
    uint64_t watch = 0;
    for (size_t i = 0; i < all->count; i++) {
        const uint64_t own = live_watch_ns(&all->board[i].live);
        watch = own > watch ? own : watch;
    }
    return watch;
}

static uint64_t due_ns(const struct live_boards *all) {
    uint64_t due = UINT64_MAX;
    for (size_t i = 0; i < all->count; i++) {
        const uint64_t own = all->board[i].over ? UINT64_MAX : live_due_ns(&all->board[i].live);
        due = own < due ? own : due;
    }
    return due;
}

static void step_viewers(struct live_boards *all) {
    for (size_t i = 0; i < all->viewer_count; i++) {
        const struct consumer *consumer = &all->viewers[i]->consumer;
        const int error = consumer->step ? consumer->step(consumer->state) : 0;
        if (error) {
            give_up_viewer(all, i--, error);
        }
    }
}

static void speak(struct live_board *b) {
    say_about(b->name);
    live_speak(&b->live);
    if (b->live.end != LIVE_RUNNING) {
        end_board(b);
    }
    say_about(NULL);
}

static bool turn(struct live_boards *all) {
    struct sys_poll fds[REPLAY_BOARDS_MAX + VIEWERS_MAX * CONSUMER_FDS];
    const int ready = live_wait(fds, fill(all, fds), due_ns(all), watch_ns(all));
    bool any = false;
    for (size_t i = 0; i < all->count; i++) {
        struct live_board *b = &all->board[i];
        if (!b->over) {
            say_about(b->name);
            live_take(&b->live, ready > 0 && fds[i].revents != 0);
            say_about(NULL);
        }
    }
    step_viewers(all);
    all->totals = (struct pipeline_totals){.wrong_elf = true, .final = true};
    for (size_t i = 0; i < all->count; i++) {
        struct live_board *b = &all->board[i];
        if (!b->over) {
            speak(b);
        }
        any = any || !b->over;
        boards_add_totals(&all->totals, &b->live.totals);
        all->totals.last_ns = b->across.board.last_ns > all->totals.last_ns
                                  ? b->across.board.last_ns
                                  : all->totals.last_ns;
    }
    show_status(all, host_monotonic_ns());
    return any;
}

static void run(struct live_boards *all) {
    struct live_settings *settings = all->settings;
    all->across.to = (struct consumer){.state = all, .event = give_all};
    if (all->tracy.server) {
        all->viewers[all->viewer_count++] = &all->tracy.viewer;
    }
    if (settings->metrics.port != 0) {
        settings->metrics.totals = &all->totals;
        all->viewers[all->viewer_count++] = &settings->metrics.viewer;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        set_up(all, i);
    }
    for (size_t i = 0; i < all->viewer_count && !settings->no_commands; i++) {
        all->viewers[i]->set_param = set_param;
        all->viewers[i]->board = all;
    }
    all->start_ns = all->shown_ns = host_monotonic_ns();
    while (turn(all)) {}
    say_status("");
}

/* ---- afterwards ---- */

static int on_kept(void *context, const struct event *event) {
    return summary_event(context, event);
}

/* Converts the recording, as 'hostlink convert' and 'stats' do. */
static enum exit_code convert(struct live_boards *all, struct summary *summary) {
    struct outputs *outputs = &all->settings->outputs;
    struct capture *capture = &all->capture;
    struct replay replay;
    struct conversion conversion;
    const struct consumer table = {.state = summary, .event = on_kept};
    const struct receivers receivers = {
        .image = elf_names_image(&all->settings->elf), .outputs = outputs, .consumer = &table};
    if (replay_adopt(&replay, capture->path,
                     capture->spare_fd >= 0 ? capture->spare_fd : sys_duplicate(capture->fd)) !=
        0) {
        return EXIT_OUTPUT;
    }
    enum exit_code code =
        conversion_run(&conversion, &replay, NULL, &receivers) ? EXIT_OUTPUT : EXIT_OK;
    if (code == EXIT_OK) {
        struct table_to to = {.form = TABLE_TEXT,
                              .text = outputs_use_stdout(outputs) ? stderr : stdout};
        boards_say(conversion.boards);
        summary_warn(&conversion.totals, 0);
        const int error = summary_print(summary, &conversion.totals, &to);
        summary_events(&conversion.totals, to.text);
        code = error ? EXIT_OUTPUT : cmd_end_stdout();
    }
    conversion_free(&conversion);
    replay_close(&replay);
    return code;
}

static enum exit_code finish(struct live_boards *all) {
    bool failed = false;
    for (size_t i = 0; i < all->count; i++) {
        failed = failed || all->board[i].live.end == LIVE_SOURCE_FAILED;
    }
    if (!totals_heard_board(&all->totals)) {
        say("nothing came from any of the boards");
        return EXIT_NO_DATA;
    }
    char bytes[HUMAN_SIZE];
    say("%s in %s", human_number(bytes, (double)all->capture.bytes, "B"), all->capture.path);
    struct summary *summary = summary_new();
    enum exit_code code = summary ? convert(all, summary) : EXIT_OUTPUT;
    if (summary) {
        summary_free(summary);
    } else {
        say(SAY_NO_MEMORY);
    }
    return code != EXIT_OK || all->capture.error ? EXIT_OUTPUT : failed ? EXIT_CUT : EXIT_OK;
}

static enum exit_code open_viewers(struct live_boards *all) {
    struct live_settings *settings = all->settings;
    settings->tracy.program = "boards";
    const int error = tracy_live_open(&all->tracy, &settings->tracy);
    return error == 0        ? (metrics_open(&settings->metrics) ? EXIT_OK : EXIT_OUTPUT)
           : error == -EINTR ? EXIT_NO_DATA
                             : EXIT_OUTPUT;
}

/* The capture is read again for the table and the outputs, so it must be a file. */
static enum exit_code open_capture(struct live_boards *all) {
    struct live_settings *settings = all->settings;
    const enum exit_code code = capture_file_open(&all->capture, settings, true);
    if (code == EXIT_OK && !all->capture.regular) {
        say("%s: the capture of several boards is read again, which needs a file",
            all->capture.path);
        (void)capture_close(&all->capture);
        return EXIT_USAGE;
    }
    if (code == EXIT_OK) {
        capture_want_spare(&all->capture);
    }
    return code;
}

static void free_all(struct live_boards *all) {
    for (size_t i = 0; i < all->count; i++) {
        struct live_board *b = &all->board[i];
        if (b->source.fd >= 0) {
            source_close(&b->source);
        }
        pipeline_free(b->live.pipeline);
        across_board_free(&b->across);
    }
    across_free(&all->across);
    free(all);
}

enum exit_code live_boards(struct live_settings *settings) {
    struct live_boards *all = calloc(1, sizeof *all);
    if (!all) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    all->settings = settings;
    enum exit_code code =
        outputs_apart(&settings->outputs, settings->sources, settings->source_count) ? open_all(all)
                                                                                     : EXIT_USAGE;
    code = code == EXIT_OK ? open_viewers(all) : code;
    code = code == EXIT_OK ? open_capture(all) : code;
    if (code == EXIT_OK) {
        run(all);
        metrics_close(&settings->metrics);
        tracy_live_close(&all->tracy);
        stop_release();
        (void)capture_sync(&all->capture);
        code = finish(all);
        if (capture_close(&all->capture) != 0 && code == EXIT_OK) {
            code = EXIT_OUTPUT;
        }
        capture_file_remove_if_empty(&all->capture, code);
    }
    metrics_close(&settings->metrics);
    tracy_live_close(&all->tracy);
    free_all(all);
    return code;
}
