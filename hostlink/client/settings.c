/* SPDX-License-Identifier: MIT */
#include "client/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracy/listen.h"

#ifdef TRACY_NO_EXIT
#define NO_EXIT true
#else
#define NO_EXIT false
#endif
#ifdef TRACY_ONLY_LOCALHOST
#define ONLY_LOCALHOST true
#else
#define ONLY_LOCALHOST false
#endif
#ifdef TRACY_ONLY_IPV4
#define ONLY_IPV4 true
#else
#define ONLY_IPV4 false
#endif
#ifdef TRACY_NO_BROADCAST
#define ANNOUNCE false
#else
#define ANNOUNCE true
#endif
#ifdef TRACY_ON_DEMAND
#define ON_DEMAND true
#else
#define ON_DEMAND false
#endif
#ifdef TRACY_VERBOSE
#define VERBOSE true
#else
#define VERBOSE false
#endif

/* Tracy's client takes "1", and nothing else, for yes. */
static bool is_on(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] == '1';
}

/* Takes the first number, like Tracy's client. Without one, hostlink's server chooses the port. */
static uint16_t port_of(const char *text) {
    const long port = text != NULL ? strtol(text, NULL, 10) : 0;
    return port > 0 && port <= UINT16_MAX ? (uint16_t)port : 0;
}

static void choose_address(struct client_settings *settings) {
    const char *any = settings->only_ipv4 ? "0.0.0.0" : "*";
    if (settings->only_localhost ||
        tracy_resolve(any, settings->address, sizeof settings->address) != 0) {
        (void)snprintf(settings->address, sizeof settings->address, "127.0.0.1");
    }
}

void client_settings_read(struct client_settings *settings) {
    *settings = (struct client_settings){
        .port = port_of(getenv("TRACY_PORT")),
        .no_exit = NO_EXIT || is_on("TRACY_NO_EXIT"),
        .only_localhost = ONLY_LOCALHOST || is_on("TRACY_ONLY_LOCALHOST"),
        .only_ipv4 = ONLY_IPV4 || is_on("TRACY_ONLY_IPV4"),
        .announce = ANNOUNCE,
        .on_demand = ON_DEMAND,
        .verbose = VERBOSE || is_on("TRACY_VERBOSE"),
        .backlog_bytes = KYMO_CLIENT_BACKLOG_BYTES,
    };
    (void)snprintf(settings->program, sizeof settings->program, "%s",
                   program_invocation_short_name);
    const char *symbolizer = getenv("KYMO_SYMBOLIZER");
    (void)snprintf(settings->symbolizer, sizeof settings->symbolizer, "%s",
                   symbolizer != NULL ? symbolizer : "");
    choose_address(settings);
}
