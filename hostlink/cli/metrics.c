/* SPDX-License-Identifier: MIT */
#include "cli/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "platform/file.h"
#include "platform/memory_stream.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "tracy/listen.h"
#include "tracy/server.h"

/* A client whose request does not end for so long, or that reads nothing of the answer, is dropped. */
#define PATIENCE_NS (10 * NS_PER_S)

int metrics_where(void *member, const struct options *options) {
    struct metrics *metrics = member;
    char host[256];
    if (tracy_parse_where(options->value, host, sizeof host, &metrics->port) != 0) {
        return options_wrong(options,
                             "'--metrics' needs PORT or ADDRESS:PORT, with a port from 1 to "
                             "65535, not '%s'",
                             options->value);
    }
    if (tracy_resolve(host, metrics->address, sizeof metrics->address) != 0) {
        return options_wrong(options,
                             "'--metrics': no address '%s'; give a name or an address of this "
                             "machine, an IPv6 address in [], or * for all interfaces",
                             host);
    }
    return 0;
}

/* ---- the text ---- */

/* Rows become one by name in a copy: more events come for those of the capture. */
static char *make_text(const struct metrics *metrics, size_t *length) {
    char *text = NULL;
    struct measures copy = {0};
    FILE *out = NULL;
    if (measures_copy(&copy, &metrics->measures) == 0 && measures_settle(&copy) == 0 &&
        (out = memory_stream_open(&text, length)) != NULL) {
        openmetrics_write(out, &copy, metrics->totals, &metrics->images);
    }
    measures_free(&copy);
    if (out && memory_stream_close(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* ---- HTTP ---- */

static void hang_up(struct metrics_client *client) {
    (void)sys_close(client->fd);
    free(client->answer);
    *client = (struct metrics_client){.fd = -1};
}

/* The whole answer, or NULL: no memory. */
static void set_answer(struct metrics_client *client, const char *status, const char *type,
                       const char *body, size_t length) {
    FILE *out = memory_stream_open(&client->answer, &client->length);
    if (!out) {
        return;
    }
    fprintf(out,
            "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
            status, type, length);
    fwrite(body, 1, length, out);
    if (memory_stream_close(out) != 0) {
        free(client->answer);
        client->answer = NULL;
    }
}

static void set_error(struct metrics_client *client, const char *status) {
    set_answer(client, status, "text/plain", "GET /metrics\n", 13);
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static void answer(const struct metrics *metrics, struct metrics_client *client) {
    const char *request = client->request;
    if (!begins(request, "GET ")) {
        set_error(client, "405 Method Not Allowed");
    } else if (!begins(request, "GET /metrics ") && !begins(request, "GET /metrics?")) {
        set_error(client, "404 Not Found");
    } else {
        size_t length = 0;
        char *text = make_text(metrics, &length);
        if (text) {
            set_answer(client, "200 OK", OPENMETRICS_TYPE, text, length);
        } else {
            set_error(client, "503 Service Unavailable");
        }
        free(text);
    }
}

/* Reads until the empty line after the head. False: the client is gone. */
static bool read_request(const struct metrics *metrics, struct metrics_client *client) {
    const size_t room = sizeof client->request - 1 - client->got;
    const ssize_t count = sys_receive(client->fd, client->request + client->got, room);
    if (count <= 0) {
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    }
    client->got += (size_t)count;
    client->request[client->got] = '\0';
    if (strlen(client->request) < client->got) {
        set_error(client, "400 Bad Request");
    } else if (strstr(client->request, "\r\n\r\n") || strstr(client->request, "\n\n")) {
        answer(metrics, client);
    } else if (client->got + 1 == sizeof client->request) {
        set_error(client, "431 Request Header Fields Too Large");
    } else {
        return true;
    }
    return client->answer != NULL;
}

/* False: all is sent, or it is gone. */
static bool send_answer(struct metrics_client *client) {
    const ssize_t count =
        sys_send(client->fd, client->answer + client->sent, client->length - client->sent);
    if (count < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    client->sent += (size_t)count;
    client->since_ns = count > 0 ? host_monotonic_ns() : client->since_ns;
    return client->sent < client->length;
}

static void serve(const struct metrics *metrics, struct metrics_client *client) {
    bool stays = host_monotonic_ns() - client->since_ns < PATIENCE_NS;
    if (stays && !client->answer) {
        stays = read_request(metrics, client);
    }
    if (stays && client->answer) {
        stays = send_answer(client);
    }
    if (!stays) {
        hang_up(client);
    }
}

static struct metrics_client *free_client(struct metrics *metrics) {
    for (size_t i = 0; i < METRICS_CLIENTS; i++) {
        if (metrics->clients[i].fd < 0) {
            return &metrics->clients[i];
        }
    }
    return NULL;
}

static void accept_clients(struct metrics *metrics) {
    struct metrics_client *client;
    char name[64];
    int fd;
    while ((client = free_client(metrics)) != NULL &&
           (fd = tracy_accept(metrics->listener, name, sizeof name)) >= 0) {
        *client = (struct metrics_client){.fd = fd, .since_ns = host_monotonic_ns()};
    }
}

/* ---- the viewer ---- */

static int on_event(void *state, const struct event *event) {
    struct metrics *metrics = state;
    openmetrics_learn(&metrics->images, event);
    return measures_event(&metrics->measures, event);
}

static size_t fill_poll(void *state, struct sys_poll *fds) {
    struct metrics *metrics = state;
    size_t count = 0;
    if (free_client(metrics)) {
        fds[count++] = (struct sys_poll){.fd = metrics->listener, .events = SYS_POLL_IN};
    }
    for (size_t i = 0; i < METRICS_CLIENTS; i++) {
        const struct metrics_client *client = &metrics->clients[i];
        if (client->fd >= 0) {
            fds[count++] = (struct sys_poll){.fd = client->fd,
                                             .events = client->answer ? SYS_POLL_OUT : SYS_POLL_IN};
        }
    }
    return count;
}

static int step(void *state) {
    struct metrics *metrics = state;
    accept_clients(metrics);
    for (size_t i = 0; i < METRICS_CLIENTS; i++) {
        if (metrics->clients[i].fd >= 0) {
            serve(metrics, &metrics->clients[i]);
        }
    }
    return 0;
}

bool metrics_open(struct metrics *metrics) {
    if (metrics->port == 0) {
        return true;
    }
    metrics->listener = tracy_listen(metrics->address, &metrics->port, 1);
    if (metrics->listener < 0) {
        say("metrics: cannot listen on %s:%u: %s; choose another port with --metrics",
            metrics->address, metrics->port, strerror(-metrics->listener));
        return false;
    }
    say("metrics: http://%s%s%s:%u/metrics", strchr(metrics->address, ':') ? "[" : "",
        metrics->address, strchr(metrics->address, ':') ? "]" : "", metrics->port);
    metrics->is_open = true;
    metrics->measures = (struct measures){.wanted = (1u << MEASURES) - 1u};
    for (size_t i = 0; i < METRICS_CLIENTS; i++) {
        metrics->clients[i].fd = -1;
    }
    metrics->viewer.consumer = (struct consumer){
        .name = "metrics", .state = metrics, .event = on_event, .poll = fill_poll, .step = step};
    return true;
}

void metrics_close(struct metrics *metrics) {
    for (size_t i = 0; metrics->is_open && i < METRICS_CLIENTS; i++) {
        if (metrics->clients[i].fd >= 0) {
            hang_up(&metrics->clients[i]);
        }
    }
    if (metrics->is_open) {
        (void)sys_close(metrics->listener);
        measures_free(&metrics->measures);
    }
    metrics->is_open = false;
}
