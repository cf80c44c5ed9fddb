/* TCP and unix sockets: a bridge, an emulator, a probe's server. hostlink is the one who connects. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "source.h"

static int adopt(struct source *source, int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        int error = -errno;
        close(fd);
        return source_fail(source, error, "%s", strerror(-error));
    }
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

/* The first address that answers; -errno of the last one that did not. */
static int connect_any(const struct addrinfo *list) {
    int error = -EADDRNOTAVAIL;
    for (; list; list = list->ai_next) {
        int fd = socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, list->ai_protocol);
        if (fd < 0) {
            error = -errno;
            continue;
        }
        if (connect(fd, list->ai_addr, list->ai_addrlen) == 0) {
            return fd;
        }
        error = -errno;
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
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = -errno;
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
