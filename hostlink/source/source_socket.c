/* SPDX-License-Identifier: MIT */
/* TCP and unix sockets: a bridge, an emulator, a probe's server. hostlink connects. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "platform/file.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "source/source.h"

#define TURN_MS 100
/* Looks at a connection that is being made, before the next address has its turn, and addresses that are tried. */
#define ATTEMPT_TURNS 25u
#define ADDRESSES_MAX 4u
/* A board whose power is cut is silent: it is probed after so many seconds of silence, so many times. */
#define KEEPALIVE_S 5
#define KEEPALIVE_TIMES 3
/* The same as in ports/net. */
#define DEFAULT_PORT "6996"

static int adopt(struct source *source, int fd) {
    source->fd = fd;
    source->two_way = true;
    source->live = true;
    source->hangup_is_end = true;
    source->returns = SOURCE_MAY_RETURN;
    return 0;
}

struct place {
    char host[256];
    char port[32];
};

static bool copy(char *to, size_t size, const char *from) {
    size_t length = strlen(from);
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(to, from, length + 1);
    return true;
}

/* Cuts the text after the host and returns the port after it. An IPv6 address stands in brackets, or alone. NULL:
 * malformed. */
static const char *cut_port(char **host) {
    char *end = strchr(*host, ':');
    if (**host == '[') {
        end = strchr(++*host, ']');
        if (!end || (end[1] != '\0' && end[1] != ':')) {
            return NULL;
        }
        *end++ = '\0';
    } else if (!end || strchr(end + 1, ':')) {
        return DEFAULT_PORT;
    }
    bool given = *end == ':';
    *end = '\0';
    return given ? end + 1 : DEFAULT_PORT;
}

/* "HOST", "HOST:PORT", or these as in "tcp://HOST:PORT/". */
static bool split(const char *text, struct place *place) {
    char rest[sizeof place->host + sizeof place->port];
    if (!copy(rest, sizeof rest, strncmp(text, "//", 2) == 0 ? text + 2 : text)) {
        return false;
    }
    size_t length = strlen(rest);
    if (text[0] == '/' && rest[length - 1] == '/') {
        rest[length - 1] = '\0';
    }
    char *host = rest;
    const char *port = cut_port(&host);
    return port && copy(place->host, sizeof place->host, host) &&
           copy(place->port, sizeof place->port, port);
}

/* Waits for the other side, but not for ever, and not against the user's wish. */
static int await_connection(int fd) {
    struct sys_poll writable = {.fd = fd, .events = SYS_POLL_OUT};
    for (uint32_t waited_ms = 0; waited_ms < SOURCE_CONNECT_MS; waited_ms += TURN_MS) {
        if (stop_wanted()) {
            return -EINTR;
        }
        if (sys_poll(&writable, 1, TURN_MS) > 0) {
            return -sys_socket_error(fd);
        }
    }
    return -ETIMEDOUT;
}

/* 0, -EINPROGRESS or another -errno. */
static int look_at_connection(int fd) {
    struct sys_poll writable = {.fd = fd, .events = SYS_POLL_OUT};
    return sys_poll(&writable, 1, 0) > 0 ? -sys_socket_error(fd) : -EINPROGRESS;
}

/* 0 or -errno; the socket does not wait from here on. */
static int connect_socket(int fd, const struct sockaddr *address, socklen_t length,
                          const struct source_options *options) {
    if (sys_connect(fd, address, length) == 0) {
        return 0;
    }
    return errno != EINPROGRESS ? -errno
           : options->attempt   ? look_at_connection(fd)
                                : await_connection(fd);
}

/* The first address that answers; -errno of the last one that did not. */
static int connect_any(const struct addrinfo *list, const struct source_options *options) {
    struct source_attempt *attempt = options->attempt;
    unsigned skip = attempt ? attempt->skip : 0;
    int error = -EADDRNOTAVAIL;
    for (; list; list = list->ai_next) {
        if (skip > 0 && list->ai_next) {
            skip--;
            continue;
        }
        int fd = sys_socket(list->ai_family, list->ai_socktype);
        if (fd < 0) {
            error = -errno;
            continue;
        }
        error = connect_socket(fd, list->ai_addr, (socklen_t)list->ai_addrlen, options);
        if (error == 0) {
            return fd;
        }
        if (attempt && error == -EINPROGRESS) {
            attempt->socket = fd + 1;
            attempt->turns = 0;
            return error;
        }
        sys_close(fd);
    }
    return error;
}

/* The socket of a connection that was begun before, or -errno. After some seconds another address is tried. */
static int go_on(struct source_attempt *attempt) {
    const int fd = attempt->socket - 1;
    const int error = look_at_connection(fd);
    if (error == -EINPROGRESS && ++attempt->turns < ATTEMPT_TURNS) {
        return error;
    }
    attempt->socket = 0;
    if (error) {
        sys_close(fd);
        attempt->skip = (attempt->skip + 1) % ADDRESSES_MAX;
        return error == -EINPROGRESS ? -ETIMEDOUT : error;
    }
    return fd;
}

/* Reports the meaning of the error here and what to check. */
static int fail_connect(struct source *source, int error, const struct place *place) {
    const char *cure = "";
    switch (-error) {
    case ECONNREFUSED:
        cure = ": the machine is there, but nothing listens on this port";
        break;
    case ETIMEDOUT:
        cure = ": nothing answers at this address; is the board on, and does a firewall stand "
               "between?";
        break;
    case EHOSTUNREACH:
    case ENETUNREACH:
        cure = ": no way leads to this address from here";
        break;
    default:
        break;
    }
    return source_fail(source, error, "cannot connect to %.120s, port %s: %s%s", place->host,
                       place->port, strerror(-error), cure);
}

/* Commands are short and wanted at once, and a board that is gone must show; failures only make that slower. */
static void set_up(int fd) {
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    sys_keep_alive(fd, KEEPALIVE_S, KEEPALIVE_TIMES);
}

static int tcp_open(struct source *source, const char *rest, const struct source_options *options) {
    struct place place;
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM};
    if (!split(rest, &place)) {
        return source_fail(source, -EINVAL, "write tcp:HOST:PORT, an IPv6 host in brackets");
    }
    if (place.port[strspn(place.port, "0123456789")] == '\0' &&
        (strtoul(place.port, NULL, 10) == 0 || strtoul(place.port, NULL, 10) > UINT16_MAX)) {
        return source_fail(source, -EINVAL, "a port from 1 to 65535, not %s", place.port);
    }
    int fd;
    if (options->attempt && options->attempt->socket != 0) {
        fd = go_on(options->attempt);
    } else {
        const int error = getaddrinfo(place.host, place.port, &hints, &list);
        if (error) {
            return source_fail(source, -ENXIO, "cannot look up '%.120s', port '%s': %s", place.host,
                               place.port, gai_strerror(error));
        }
        fd = connect_any(list, options);
        freeaddrinfo(list);
    }
    if (fd < 0) {
        return fail_connect(source, fd, &place);
    }
    set_up(fd);
    return adopt(source, fd);
}

static int unix_open(struct source *source, const char *rest,
                     const struct source_options *options) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (rest[0] == '\0' || strlen(rest) >= sizeof address.sun_path) {
        return source_fail(source, -ENAMETOOLONG,
                           "the path of a socket has 1 to %zu bytes: use a shorter one, or a link",
                           sizeof address.sun_path - 1);
    }
    strcpy(address.sun_path, rest);
    int fd = sys_socket(AF_UNIX, SOCK_STREAM);
    if (fd < 0) {
        return source_fail(source, -errno, "%s", strerror(errno));
    }
    int error = connect_socket(fd, (const struct sockaddr *)&address, sizeof address, options);
    if (error) {
        sys_close(fd);
        return source_fail(source, error, "cannot connect: %s; is the other side listening?",
                           strerror(-error));
    }
    return adopt(source, fd);
}

const struct source_kind source_tcp = {
    .spec = "tcp:",
    .form = "tcp:HOST[:PORT]",
    .help = "connects to a TCP server, a board's by default (port " DEFAULT_PORT ")",
    .open = tcp_open,
};

const struct source_kind source_unix = {
    .spec = "unix:",
    .form = "unix:PATH",
    .help = "connects to a unix socket",
    .open = unix_open,
};
