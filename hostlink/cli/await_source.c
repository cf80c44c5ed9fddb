/* SPDX-License-Identifier: MIT */
#include "cli/await_source.h"

#include <errno.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "base/stop.h"
#include "cli/find.h"
#include "platform/file.h"
#include "platform/net.h"
#include "platform/poll.h"

#define LOOK_EVERY_MS 50
#define PATIENCE_NS (3 * NS_PER_S)

static enum exit_code fail(const struct source *source, const struct live_settings *settings,
                           int error) {
    say("%s: %s", strcmp(settings->source, "-") == 0 ? "standard input" : settings->source,
        source->why);
    return error == -ENODATA ? EXIT_NO_DATA : EXIT_SOURCE;
}

/* The only board there is. */
static enum exit_code find_source(struct live_settings *settings) {
    static char path[PORT_PATH_SIZE];
    switch (find_only(path, sizeof path)) {
    case FIND_NONE:
        return stop_wanted() ? EXIT_NO_DATA : EXIT_SOURCE;
    case FIND_SEVERAL:
        return EXIT_USAGE;
    case FIND_ONE:
    default:
        settings->source = path;
        return EXIT_OK;
    }
}

/* A word, once, where the command takes its time. */
static void say_waiting(const struct source *source, const char *name, uint64_t start_ns,
                        bool *said) {
    if (!*said && host_monotonic_ns() - start_ns >= PATIENCE_NS) {
        say("%s: %s; waiting for it, as the command still runs", name, source->why);
        *said = true;
    }
}

/* Waits until the command has made the source. */
static enum exit_code open_made(struct source *source, struct live_settings *settings) {
    const uint64_t start_ns = host_monotonic_ns();
    bool said = false;
    int error;
    while ((error = source_open(source, settings->source, &settings->line)) != 0) {
        if (stop_wanted()) {
            return EXIT_NO_DATA;
        }
        if (error == -EINVAL || error == -EACCES || child_has_ended(settings->child)) {
            return fail(source, settings, error);
        }
        if (settings->duration_ns > 0 && host_monotonic_ns() - start_ns >= settings->duration_ns) {
            (void)fail(source, settings, error);
            return EXIT_NO_DATA;
        }
        say_waiting(source, settings->source, start_ns, &said);
        sys_sleep_ms(LOOK_EVERY_MS);
    }
    return EXIT_OK;
}

/* Its standard input and output. */
static enum exit_code open_own(struct source *source, struct child *child) {
    int pair[2];
    if (sys_socket_pair(pair) != 0) {
        say("%s: no socket for it can be made: %s", child->argv[0], strerror(errno));
        return EXIT_SOURCE;
    }
    const bool started = child_start(child, pair[1]);
    (void)sys_close(pair[1]);
    if (!started) {
        (void)sys_close(pair[0]);
        return EXIT_COMMAND;
    }
    *source = (struct source){
        .fd = pair[0], .two_way = true, .live = true, .hangup_is_end = true, .name = "-"};
    return EXIT_OK;
}

/* The only board, which may be there only after the command has begun. */
static enum exit_code find_made(struct live_settings *settings) {
    static struct found found[FOUND_MAX];
    while (find_all(found, FIND_LISTEN_NS) == 0 && !child_has_ended(settings->child) &&
           !stop_wanted()) {}
    return find_source(settings);
}

static enum exit_code run_first(struct child *child) {
    if (!child_start(child, -1)) {
        return EXIT_COMMAND;
    }
    if (!child_wait(child)) {
        child_end(child, true);
        return EXIT_NO_DATA;
    }
    return child->status == 0 ? EXIT_OK : EXIT_COMMAND;
}

static enum exit_code open_beside(struct source *source, struct live_settings *settings) {
    enum exit_code code = EXIT_OK;
    if (settings->source && strcmp(settings->source, "-") == 0) {
        return open_own(source, settings->child);
    }
    /* A source that exists already is opened first, so that nothing is missed. */
    const bool open =
        settings->source && source_open(source, settings->source, &settings->line) == 0;
    if (!child_start(settings->child, -1)) {
        if (open) {
            source_close(source);
        }
        return EXIT_COMMAND;
    }
    if (!settings->source) {
        code = find_made(settings);
    }
    return code == EXIT_OK && !open ? open_made(source, settings) : code;
}

/* A board on a network that is not there yet. */
static bool may_come(const struct live_settings *settings, int error) {
    const bool is_away = error == -ECONNREFUSED || error == -ETIMEDOUT || error == -EHOSTUNREACH;
    return is_away && strncmp(settings->source, "tcp:", 4) == 0 &&
           settings->wait != LIVE_WAIT_NEVER;
}

/* Host first. */
static enum exit_code open_given(struct source *source, struct live_settings *settings) {
    const uint64_t start_ns = host_monotonic_ns();
    enum exit_code code = EXIT_OK;
    bool said = false;
    int error;
    while ((error = source_open(source, settings->source, &settings->line)) != 0 &&
           may_come(settings, error) && code == EXIT_OK) {
        if (!said) {
            say("%s: %s; waiting for it, Ctrl-C ends the wait", settings->source, source->why);
            said = true;
        }
        say_status("waiting for the board");
        sys_sleep_ms(LOOK_EVERY_MS * 4);
        const bool over =
            settings->duration_ns > 0 && host_monotonic_ns() - start_ns >= settings->duration_ns;
        code = stop_wanted() || over ? EXIT_NO_DATA : EXIT_OK;
    }
    say_status("");
    return error == 0 ? EXIT_OK : code != EXIT_OK ? code : fail(source, settings, error);
}

enum exit_code await_source(struct source *source, struct live_settings *settings) {
    struct child *child = settings->child;
    enum exit_code code = EXIT_OK;
    if (child && !child->first) {
        return open_beside(source, settings);
    }
    code = child ? run_first(child) : EXIT_OK;
    if (code == EXIT_OK && !settings->source) {
        code = find_source(settings);
    }
    return code == EXIT_OK ? open_given(source, settings) : code;
}
