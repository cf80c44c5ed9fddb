/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "base/screen.h"
#include "base/stop.h"
#include "cli/await_source.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/live_settings.h"
#include "cli/top.h"
#include "platform/file.h"
#include "platform/memory_stream.h"
#include "platform/poll.h"

struct settings {
    struct live_settings live;
    uint64_t interval_ns;
};

static const struct option_spec option_table[] = {
    ELF_NAMES_SPEC(elf_images_add, OPTION_AT(live.elf.images)),
    LIVE_SPEC_BAUD(OPTION_AT(live)),
    LIVE_SPEC_RTSCTS(OPTION_AT(live)),
    LIVE_SPEC_DTR(OPTION_AT(live)),
    LIVE_SPEC_RTS(OPTION_AT(live)),
    {"duration", 0, "S", "end after S seconds", OPTION_SECONDS(live.duration_ns)},
    {"interval", 0, "S", "take new numbers each S seconds (default: 1)",
     OPTION_SECONDS(interval_ns)},
    LIVE_SPEC_KEY(OPTION_AT(live)),
    LIVE_SPEC_NO_COMMANDS(OPTION_AT(live)),
    {.take = cmd_set_input, .at = OPTION_AT(live.source)},
};

/* ---- the screen ---- */

static void take_notice(void *context, const char *line) {
    struct top *top = context;
    (void)snprintf(top->notice, sizeof top->notice, "%s", line);
}

/* Keys, the size, and new numbers where they are due. */
static void serve(struct top *top, uint64_t now_ns) {
    bool draws = screen_changed();
    for (int key; (key = screen_key()) != SCREEN_NO_KEY; draws = true) {
        top_key(top, key);
        if (key == 'a' || key == SCREEN_GONE) {
            top->looked_ns = 0;
        }
        if (top->wants_end) {
            return;
        }
    }
    if (top->looked_ns == 0 || (!top->ended && now_ns - top->looked_ns >= top->interval_ns)) {
        top_look(top, now_ns);
        draws = true;
    }
    if (draws) {
        top_draw(top);
    }
}

/* The trace has ended: stays until the user quits. */
static void stay(struct top *top) {
    top->ended = true;
    top->looked_ns = 0;
    while (!top->wants_end && !stop_wanted()) {
        struct sys_poll keys = {.fd = screen_key_fd(), .events = SYS_POLL_IN};
        serve(top, host_monotonic_ns());
        (void)sys_poll(&keys, 1, top->wants_end ? 0 : 100);
    }
}

static bool open_screen(struct top *top) {
    const char *why = screen_open();
    if (why) {
        say("%s", why);
        return false;
    }
    top->utf8 = screen_takes_utf8();
    say_to(take_notice, top);
    return true;
}

static void close_screen(const struct top *top) {
    say_to(NULL, NULL);
    screen_close();
    if (top->error) {
        say(SAY_NO_MEMORY);
    }
}

/* ---- a capture ---- */

static enum exit_code show_capture(struct top *top, struct cmd_input *input) {
    struct conversion conversion;
    const struct consumer consumer = {.state = &top->model, .event = top_model_event};
    const struct receivers receivers = {.image = elf_names_image(&input->elf),
                                        .consumer = &consumer};
    const int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    if (code == EXIT_OK && taskstats_end(top->model.tracks) != 0) {
        code = EXIT_OUTPUT;
    }
    if (code == EXIT_OK && open_screen(top)) {
        top->totals = conversion.totals;
        stay(top);
        close_screen(top);
    } else if (code == EXIT_OK) {
        code = EXIT_USAGE;
    }
    conversion_free(&conversion);
    return code;
}

static enum exit_code run_capture(struct top *top, struct settings *settings) {
    struct cmd_input input = {
        .path = settings->live.source, .symbolizer = "none", .elf = settings->live.elf};
    enum exit_code code = cmd_input_open(&input);
    if (code == EXIT_OK) {
        code = show_capture(top, &input);
        cmd_input_close(&input);
    }
    return code;
}

/* ---- a live source ---- */

static int on_event(void *context, const struct event *event) {
    struct top *top = context;
    return top_model_event(&top->model, event);
}

static size_t on_poll(void *context, struct sys_poll *fds) {
    (void)context;
    fds[0] = (struct sys_poll){.fd = screen_key_fd(), .events = SYS_POLL_IN};
    return 1;
}

static int on_step(void *context) {
    struct top *top = context;
    top->totals = top->live->totals;
    serve(top, top->live->now_ns);
    if (top->wants_end) {
        top->live->duration_ns = 1; /* with the next look for an end */
    }
    return top->error;
}

static bool wants_param(void *context) {
    (void)context;
    return true;
}

static enum exit_code show_live(struct top *top, struct settings *settings, struct source *source,
                                FILE *board_out) {
    static struct live live;
    struct viewer viewer = {.consumer = {.name = "top",
                                         .state = top,
                                         .event = on_event,
                                         .poll = on_poll,
                                         .step = on_step},
                            .wants_param = wants_param};
    live = (struct live){.source = source,
                         .duration_ns = settings->live.duration_ns,
                         .baud = settings->live.line.baud,
                         .wait = settings->live.wait,
                         .commands = !settings->live.no_commands,
                         .quiet = true,
                         .image = elf_names_image(&settings->live.elf),
                         .key = settings->live.key.given ? settings->live.key.bytes : NULL,
                         .board_out = board_out};
    live.viewers[live.viewer_count++] = &viewer;
    top->live = &live;
    if (!open_screen(top)) {
        return EXIT_USAGE;
    }
    live_run(&live);
    top->totals = live.totals;
    if (live.end != LIVE_DURATION && live.end != LIVE_STOPPED && live.end != LIVE_NO_MEMORY) {
        (void)taskstats_end(top->model.tracks);
        stay(top);
    }
    close_screen(top);
    const bool heard = totals_heard_board(&live.totals);
    if (live.pipeline) {
        pipeline_free(live.pipeline);
    }
    if (!heard) {
        say("no valid packet came: 'hostlink doctor %s' says why", source->name);
    }
    return live.end == LIVE_NO_MEMORY ? EXIT_OUTPUT : heard ? EXIT_OK : EXIT_NO_DATA;
}

static enum exit_code run_live(struct top *top, struct settings *settings) {
    struct source source;
    char *printed = NULL;
    size_t printed_bytes = 0;
    if (!key_read(&settings->live.key, settings->live.key_path)) {
        return EXIT_USAGE;
    }
    if (!elf_names_open(&settings->live.elf, "none")) {
        return EXIT_SOURCE;
    }
    enum exit_code code = await_source(&source, &settings->live);
    if (code == EXIT_OK) {
        FILE *board_out = memory_stream_open(&printed, &printed_bytes);
        top->name = settings->live.source;
        code = board_out ? show_live(top, settings, &source, board_out) : EXIT_OUTPUT;
        if (board_out) {
            (void)memory_stream_close(board_out);
        }
        free(printed);
        source_close(&source);
    }
    elf_names_close(&settings->live.elf);
    return code;
}

static bool is_file(const char *path) {
    struct sys_status status;
    return path && sys_status_of(path, &status) == 0 && status.type == SYS_REGULAR;
}

static enum exit_code run(void *state) {
    static struct top top; /* too large for the stack */
    struct settings *settings = state;
    const bool file = is_file(settings->live.source);
    top = (struct top){.name = settings->live.source, .interval_ns = settings->interval_ns};
    if (top_model_open(&top.model, !file) != 0) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    stop_catch();
    const enum exit_code code = file ? run_capture(&top, settings) : run_live(&top, settings);
    for (unsigned i = 0; i < TOP_PARTS; i++) {
        free(top.rows[i].list);
    }
    top_model_close(&top.model);
    return code;
}

const struct cmd cmd_top = {
    .name = "top",
    .usage = "[SOURCE | IN.kymo] [options]",
    .summary = "Shows a board or a capture in the terminal: zones, tasks, interrupts, plots",
    .text =
        "Keys: o z r i p m choose what is shown, s sorts, / filters, space pauses, Enter sets a\n"
        "parameter, q ends, ? lists all. Nothing is kept: 'hostlink capture' records.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .defaults =
        &(const struct settings){.live.line.baud = LIVE_BAUD_DEFAULT, .interval_ns = NS_PER_S},
    .run = run,
};
