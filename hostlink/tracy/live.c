/* SPDX-License-Identifier: MIT */
#include "tracy/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/stop.h"
#include "platform/file.h"
#include "platform/poll.h"
#include "tracy/listen.h"
#include "tracy/proto.h"

/* At the end, a viewer that shows no sign of life for this long is given up. */
#define FINISH_MS 5000
#define WAIT_TURN_MS 200

int tracy_parse_where(const char *text, char *address, size_t size, uint16_t *port) {
    const char *colon = strrchr(text, ':'), *digits = colon != NULL ? colon + 1 : text;
    const char *first = text, *end = colon != NULL ? colon : text;
    char *rest;
    if (first < end && *first == '[' && end[-1] == ']') {
        first++;
        end--;
    }
    size_t length = (size_t)(end - first);
    errno = 0;
    unsigned long number = strtoul(digits, &rest, 10);
    if (*digits < '0' || *digits > '9' || *rest != '\0' || errno != 0 || number == 0 ||
        number > UINT16_MAX || length >= size || (colon != NULL && length == 0)) {
        return -EINVAL;
    }
    if (length > 0) {
        memcpy(address, first, length);
        address[length] = '\0';
    } else {
        (void)snprintf(address, size, "%s", TRACY_DEFAULT_ADDRESS);
    }
    *port = (uint16_t)number;
    return 0;
}

int tracy_settings_where(void *member, const struct options *options) {
    struct tracy_settings *settings = member;
    settings->asked = true;
    settings->off = false;
    char host[256];
    if (tracy_parse_where(options->value, host, sizeof host, &settings->port) != 0) {
        return options_wrong(
            options, "'--tracy' needs PORT or ADDRESS:PORT, with a port from 1 to 65535, not '%s'",
            options->value);
    }
    if (tracy_resolve(host, settings->address, sizeof settings->address) != 0) {
        return options_wrong(
            options,
            "'--tracy': no address '%s'; give a name or an address of this machine, an "
            "IPv6 address in [], or * for all interfaces",
            host);
    }
    return 0;
}

int tracy_settings_release(void *member, const struct options *options) {
    struct tracy_settings *settings = member;
    settings->protocol = tracy_proto_of_release(options->value);
    return settings->protocol != 0
               ? 0
               : options_wrong(options,
                               "'--tracy-release' needs one of 0.9, 0.10, 0.11.0, 0.11.1, 0.12, "
                               "0.13, 0.14, not '%s'",
                               options->value);
}

int tracy_settings_source(void *member, const struct options *options) {
    struct tracy_settings *settings = member;
    struct tracy_source_folders *sources = &settings->sources;
    struct sys_status status;
    if (sys_status_of(options->value, &status) != 0 || status.type != SYS_FOLDER) {
        return options_wrong(options, "'--source' needs a folder; '%s' is not one", options->value);
    }
    if (sources->count == TRACY_SOURCE_FOLDERS_MAX) {
        return options_wrong(options, "'--source' can be given %d times", TRACY_SOURCE_FOLDERS_MAX);
    }
    sources->path[sources->count++] = options->value;
    return 0;
}

/* The program on the board could name any file. So a file is read from the path that it names only for viewers on this
 * machine, which could read it themselves. */
void tracy_settings_apply(const struct tracy_settings *settings,
                          struct tracy_server_options *options) {
    options->address = settings->address[0] != '\0' ? settings->address : NULL;
    options->port = settings->port;
    options->program = settings->program;
    options->machine = settings->machine;
    options->announce = settings->announce;
    options->announce_protocol = settings->protocol;
    options->sources = settings->sources;
    options->sources.as_named =
        tracy_is_loopback(options->address != NULL ? options->address : TRACY_DEFAULT_ADDRESS);
}

static int on_event(void *state, const struct event *event) {
    return tracy_server_event(state, event);
}

static int on_large(void *state, const struct large *large, const uint8_t *bytes, size_t length) {
    return tracy_server_large(state, large, bytes, length);
}

static size_t fill_poll(void *state, struct sys_poll *fds) { return tracy_server_poll(state, fds); }

static int step(void *state) { return tracy_server_step(state); }

static int on_param(void *state, uint32_t index, const char *name, int32_t value, bool is_switch) {
    return tracy_server_param(state, index, name, value, is_switch);
}

static void on_set_param(void *context, uint32_t index, int32_t value) {
    const struct tracy_live *live = context;
    if (live->viewer.set_param != NULL) {
        live->viewer.set_param(live->viewer.board, index, value);
    }
}

static void on_notice(void *context, const char *text) {
    (void)context;
    say("%s", text);
}

int tracy_live_wait(struct tracy_server *server, uint64_t timeout_ns) {
    uint64_t waited_ns = 0;
    int error = -ETIMEDOUT;
    while (error == -ETIMEDOUT && !stop_wanted() && (timeout_ns == 0 || waited_ns < timeout_ns)) {
        error = tracy_server_wait_viewer(server, WAIT_TURN_MS);
        waited_ns += WAIT_TURN_MS * UINT64_C(1000000);
    }
    return stop_wanted() ? -EINTR : error;
}

static int wait_for_viewer(struct tracy_server *server, uint64_t timeout_ns) {
    say("Tracy: waiting for a viewer");
    int error = tracy_live_wait(server, timeout_ns);
    if (error == -ETIMEDOUT) {
        say("Tracy: " TRACY_NO_VIEWER);
    }
    return error;
}

int tracy_live_open(struct tracy_live *live, const struct tracy_settings *settings) {
    *live = (struct tracy_live){0};
    if (settings->off) {
        return 0;
    }
    struct tracy_server_options options = {.context = live,
                                           .notice = on_notice,
                                           .set_param = on_set_param,
                                           .slow = TRACY_SLOW_DROP,
                                           .session_first = true};
    tracy_settings_apply(settings, &options);
    int error = tracy_server_open(&live->server, &options);
    if (error != 0) {
        say("Tracy: cannot listen on %s port %u: %s%s",
            options.address != NULL ? options.address : TRACY_DEFAULT_ADDRESS,
            (unsigned)(settings->port != 0 ? settings->port : TRACY_DEFAULT_PORT), strerror(-error),
            settings->asked || settings->wait ? "" : "; the capture goes on without it");
        return settings->asked || settings->wait ? error : 0;
    }
    live->viewer = (struct viewer){
        .consumer = {.name = "Tracy",
                     .state = live->server,
                     .event = on_event,
                     .large = on_large,
                     .poll = fill_poll,
                     .step = step},
        .param = on_param,
    };
    say("Tracy: viewers connect to %s", tracy_server_where(live->server));
    return settings->wait ? wait_for_viewer(live->server, settings->timeout_ns) : 0;
}

void tracy_live_close(struct tracy_live *live) {
    struct tracy_server_totals before, totals;
    if (live->server == NULL) {
        return;
    }
    bool there = tracy_server_has_viewer(live->server);
    tracy_server_totals(live->server, &before);
    int error = tracy_server_finish(live->server, FINISH_MS);
    tracy_server_totals(live->server, &totals);
    if (there || totals.viewers > before.viewers) {
        say("Tracy: %llu zones given to the viewer%s, %llu repairs",
            (unsigned long long)totals.zones, error == 0 ? "" : ", which did not confirm the end",
            (unsigned long long)totals.repairs);
    }
    tracy_server_close(live->server);
    live->server = NULL;
}
