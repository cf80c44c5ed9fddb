/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "tracy/live.h"
#include "tracy/proto.h"

/* The server is looked after every so many events. */
#define EVENTS_PER_STEP 8192u
#define FINISH_MS 10000

struct settings {
    struct cmd_input input;
    struct tracy_settings tracy;
    bool keep, quiet;
    uint64_t sample_period_ns; /* of the capture's last sample, 0 = it has none */
};

static const struct option_spec option_table[] = {
    CMD_INPUT_SPECS,
    TRACY_SPEC_WHERE(OPTION_AT(tracy)),
    TRACY_SPEC_SOURCE(OPTION_AT(tracy)),
    TRACY_SPEC_ANNOUNCE(OPTION_AT(tracy)),
    TRACY_SPEC_RELEASE(OPTION_AT(tracy)),
    TRACY_SPEC_TIMEOUT(OPTION_AT(tracy)),
    {"keep", 0, NULL, "serve further viewers after the first, until Ctrl-C", OPTION_FLAG(keep)},
    {"quiet", 'q', NULL, "only errors", OPTION_FLAG(quiet)},
    CMD_INPUT_OPERAND,
};

/* One replay to one viewer. */
struct serving {
    const struct settings *settings;
    struct tracy_server *server;
    uint64_t count; /* events */
    bool is_cut;    /* some were later than a viewer can hold */
    int error;      /* of the server, -errno */
};

static int wait_for_viewer(struct serving *serving) {
    return tracy_live_wait(serving->server, serving->settings->tracy.timeout_ns);
}

/* A viewer gets the period once, when it connects: before any sample. */
static int learn_period(void *context, const struct event *event) {
    struct settings *settings = context;
    if (event->kind == EVENT_SAMPLE) {
        settings->sample_period_ns = event->u.sample.period_ns;
    }
    return 0;
}

/* The session's beginning names the program; then the replay waits for its viewer. After an
 * error, or when the viewer has gone, the rest is passed over. */
static int on_event(void *context, const struct event *event) {
    struct serving *serving = context;
    bool first = serving->count++ == 0;
    if (first) {
        tracy_server_sample_period(serving->server, serving->settings->sample_period_ns);
    }
    if (event->time_ns >= TRACY_TIME_LIMIT_NS) {
        serving->is_cut = true;
        return 0;
    }
    if (serving->error != 0 || (!first && !tracy_server_has_viewer(serving->server))) {
        return 0;
    }
    serving->error = tracy_server_event(serving->server, event);
    if (serving->error == 0 && first) {
        serving->error = wait_for_viewer(serving);
    }
    if (serving->error == 0 && serving->count % EVENTS_PER_STEP == 0) {
        serving->error = stop_wanted() ? -EINTR : tracy_server_step(serving->server);
    }
    return 0;
}

static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    struct serving *serving = context;
    if (serving->error == 0 && !serving->is_cut && tracy_server_has_viewer(serving->server)) {
        serving->error = tracy_server_large(serving->server, large, bytes, length);
    }
    return 0;
}

static void on_notice(void *context, const char *text) {
    const struct settings *settings = context;
    if (!settings->quiet) {
        say("%s", text);
    }
}

static int open_server(struct serving *serving, struct settings *settings) {
    struct tracy_server_options options = {
        .slow = TRACY_SLOW_WAIT, .names_complete = true, .context = settings, .notice = on_notice};
    options.once = !settings->keep;
    settings->tracy.machine = elf_names_machine(&settings->input.elf);
    tracy_settings_apply(&settings->tracy, &options);
    int error = tracy_server_open(&serving->server, &options);
    if (error != 0) {
        say("cannot listen on %s port %u: %s; choose another by --tracy PORT",
            options.address != NULL ? options.address : TRACY_DEFAULT_ADDRESS,
            (unsigned)(options.port != 0 ? options.port : TRACY_DEFAULT_PORT), strerror(-error));
    } else if (!settings->quiet) {
        say("%s: Tracy viewers connect to %s", settings->input.path,
            tracy_server_where(serving->server));
    }
    return error;
}

/* After the last event. */
static enum exit_code finish(struct serving *serving, const struct settings *settings) {
    bool there = tracy_server_has_viewer(serving->server);
    int error = serving->error == 0 && there ? tracy_server_finish(serving->server, FINISH_MS)
                                             : serving->error;
    struct tracy_server_totals totals;
    tracy_server_totals(serving->server, &totals);
    if (error == -EINTR || stop_wanted()) {
        return EXIT_OK;
    }
    if (error == -ETIMEDOUT && !there) {
        say(TRACY_NO_VIEWER);
        return EXIT_OUTPUT;
    }
    if (error != 0 || !there) {
        say("the viewer did not receive the whole trace: %s",
            !there || error == -ECONNRESET ? "it left before the end" : strerror(-error));
        return EXIT_OUTPUT;
    }
    if (serving->is_cut) {
        say("%s: longer than a Tracy viewer can hold, which has received the first 39 hours; for "
            "the rest use 'hostlink convert -o OUT.pftrace'",
            settings->input.path);
        return EXIT_OUTPUT;
    }
    if (!settings->quiet) {
        say("%llu zones given to the viewer, %llu repairs", (unsigned long long)totals.zones,
            (unsigned long long)totals.repairs);
    }
    return EXIT_OK;
}

/* One viewer. "names" is NULL the first time. "*again": another one may follow. */
static enum exit_code serve_once(struct settings *settings, struct conversion *conversion,
                                 const struct pipeline *names, bool *again) {
    struct replay *replay = &settings->input.replay;
    struct serving serving = {.settings = settings};
    *again = false;
    if (open_server(&serving, settings) != 0) {
        return EXIT_OUTPUT;
    }
    settings->tracy.port = tracy_server_port(serving.server); /* also for the next viewer */
    const struct consumer viewer = {.state = &serving, .event = on_event, .large = on_large};
    const struct receivers receivers = {.image = elf_names_image(&settings->input.elf),
                                        .consumer = &viewer,
                                        .learn = learn_period,
                                        .learn_context = settings};
    int error = conversion_run(conversion, replay, names, &receivers);
    enum exit_code code = error != 0 ? EXIT_OUTPUT : cmd_check_data(replay, &conversion->totals);
    if (code == EXIT_OK) {
        *again = settings->keep && serving.error == 0 && !stop_wanted();
        code = finish(&serving, settings);
    }
    tracy_server_close(serving.server);
    return code;
}

static enum exit_code serve(struct settings *settings) {
    struct conversion first = {0}, next = {0};
    bool again = false;
    enum exit_code code = serve_once(settings, &first, NULL, &again);
    while (again) {
        code = serve_once(settings, &next, first.names, &again);
        conversion_free(&next);
    }
    conversion_free(&first);
    return code;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        stop_catch();
        code = serve(settings);
        stop_release();
        cmd_input_close(&settings->input);
    }
    return code;
}

const struct cmd cmd_serve = {
    .name = "serve",
    .usage = "IN.kymo [options]",
    .summary = "Replays a capture file to a Tracy viewer",
    .text =
        "Waits for tracy-profiler or tracy-capture (0.9 to 0.14) to connect, gives it the whole\n"
        "trace, and ends with it. '-' as IN is standard input.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .run = run,
};
