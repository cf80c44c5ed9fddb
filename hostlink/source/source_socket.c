/* TCP and unix sockets: a bridge, an emulator, a probe's server. hostlink is the one who connects. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/stop.h"
#include "source/source.h"

#define CONNECT_MS 10000
#define TURN_MS 100

static int adopt(struct source *source, int fd) {
    source->fd = fd;
    source->two_way = true;
    source->live = true;
    source->hangup_is_end = true;
    return 0;
}

/* "HOST:PORT"; an IPv6 address stands in brackets. */
static bool split(const char *text, char *host, size_t host_size, const char **port) {
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || colon[1] == '\0') {
        return false;
    }
    size_t length = (size_t)(colon - text);
    if (text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= host_size) {
        return false;
    }
    memcpy(host, text, length);
    host[length] = '\0';
    *port = colon + 1;
    return true;
}

/* Waits for the other side, but not for ever, and not against the user's wish. */
static int await_connection(int fd) {
    struct pollfd writable = {.fd = fd, .events = POLLOUT};
    for (int waited_ms = 0; waited_ms < CONNECT_MS; waited_ms += TURN_MS) {
        if (stop_wanted()) {
            return -EINTR;
        }
        if (poll(&writable, 1, TURN_MS) > 0) {
            int error = 0;
            socklen_t size = sizeof error;
            return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? -error : -errno;
        }
    }
    return -ETIMEDOUT;
}

/* 0 or -errno; the socket does not wait from here on. */
static int connect_socket(int fd, const struct sockaddr *address, socklen_t length) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        return -errno;
    }
    if (connect(fd, address, length) == 0) {
        return 0;
    }
    return errno == EINPROGRESS ? await_connection(fd) : -errno;
}

/* The first address that answers; -errno of the last one that did not. */
static int connect_any(const struct addrinfo *list) {
    int error = -EADDRNOTAVAIL;
    for (; list; list = list->ai_next) {
        int fd = socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, list->ai_protocol);
        if (fd < 0) {
            error = -errno;
            continue;
        }
        error = connect_socket(fd, list->ai_addr, list->ai_addrlen);
        if (error == 0) {
            return fd;
        }
        close(fd);
    }
    return error;
}

static int tcp_open(struct source *source, const char *rest, const struct source_options *options) {
    char host[256];
    const char *port;
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM};
    (void)options;
    if (!split(rest, host, sizeof host, &port)) {
        return source_fail(source, -EINVAL, "write tcp:HOST:PORT, an IPv6 host in brackets");
    }
    int error = getaddrinfo(host, port, &hints, &list);
    if (error) {
        return source_fail(source, -EHOSTUNREACH, "cannot look up '%.120s', port '%.40s': %s", host,
                           port, gai_strerror(error));
    }
    int fd = connect_any(list);
    freeaddrinfo(list);
    if (fd < 0) {
        return source_fail(source, fd, "cannot connect: %s; is the other side listening?",
                           strerror(-fd));
    }
    /* Commands are short and wanted at once; a failure only makes them slower. */
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return adopt(source, fd);
}

static int unix_open(struct source *source, const char *rest,
                     const struct source_options *options) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)options;
    if (rest[0] == '\0' || strlen(rest) >= sizeof address.sun_path) {
        return source_fail(source, -ENAMETOOLONG, "the path of a socket has 1 to %zu bytes",
                           sizeof address.sun_path - 1);
    }
    strcpy(address.sun_path, rest);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return source_fail(source, -errno, "%s", strerror(errno));
    }
    int error = connect_socket(fd, (const struct sockaddr *)&address, sizeof address);
    if (error) {
        close(fd);
        return source_fail(source, error, "cannot connect: %s; is the other side listening?",
                           strerror(-error));
    }
    return adopt(source, fd);
}

const struct source_kind source_tcp = {
    .spec = "tcp:",
    .form = "tcp:HOST:PORT",
    .help = "connects to a TCP server",
    .open = tcp_open,
};

const struct source_kind source_unix = {
    .spec = "unix:",
    .form = "unix:PATH",
    .help = "connects to a unix socket",
    .open = unix_open,
};
