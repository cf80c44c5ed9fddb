/* SPDX-License-Identifier: MIT */
/* Sources: pseudo-terminals stand for serial devices. */
#include "source/source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cases.h"
#include "files.h"
#include "platform/serial.h"

#define NOBODY 65534

static const struct source_options options = {.baud = 115200};

/* The board's end of a serial line; its device's path in "path". */
static int make_line(char *path, size_t size) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    assert_int_equal(ptsname_r(master, path, size), 0);
    return master;
}

static ssize_t read_when_ready(struct source *source, uint8_t *bytes, size_t size) {
    struct pollfd ready = {.fd = source->fd, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 120000), 1);
    return source_read(source, bytes, size);
}

static void check_both_ways(struct source *source, int other) {
    /* Every byte that a line discipline could take for something else. */
    uint8_t sent[256], got[256];
    for (unsigned i = 0; i < 256; i++) {
        sent[i] = (uint8_t)i;
    }
    assert_int_equal(write(other, sent, sizeof sent), sizeof sent);
    for (size_t have = 0; have < sizeof got;) {
        ssize_t count = read_when_ready(source, got + have, sizeof got - have);
        assert_true(count > 0);
        have += (size_t)count;
    }
    assert_memory_equal(got, sent, sizeof sent);
    assert_int_equal(source_read(source, got, sizeof got), -EAGAIN);
    assert_int_equal(source_write(source, sent, sizeof sent), sizeof sent);
    for (size_t have = 0; have < sizeof got;) {
        ssize_t count = read(other, got + have, sizeof got - have);
        assert_true(count > 0);
        have += (size_t)count;
    }
    assert_memory_equal(got, sent, sizeof sent);
}

CASE(serial_is_raw) {
    char path[64];
    struct source source;
    int board = make_line(path, sizeof path);
    assert_int_equal(source_open(&source, path, &options), 0);
    assert_true(source.two_way && source.live && source.serial);
    check_both_ways(&source, board);
    uint8_t byte;
    close(board);
    assert_int_equal(read_when_ready(&source, &byte, 1), -EIO);
    source_close(&source);
}

CASE(serial_takes_any_rate) {
    static const uint32_t rates[] = {300, 9600, 74880, 250000, 1234567, 3000000, 12000000};
    char path[64];
    int board = make_line(path, sizeof path);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct source source;
        const struct source_options line = {.baud = rates[i], .rtscts = i % 2 == 1};
        struct termios settings;
        assert_int_equal(source_open(&source, path, &line), 0);
        assert_int_equal(serial_rate_get(source.fd), rates[i]);
        assert_int_equal(tcgetattr(source.fd, &settings), 0);
        assert_int_equal((settings.c_cflag & CRTSCTS) != 0, line.rtscts);
        assert_int_equal(settings.c_cflag & CSIZE, CS8);
        source_close(&source);
    }
    close(board);
}

CASE(serial_is_for_one) {
    char path[64];
    struct source first, second;
    int board = make_line(path, sizeof path);
    assert_int_equal(source_open(&first, path, &options), 0);
    assert_int_equal(source_open(&second, path, &options), -EBUSY);
    assert_non_null(strstr(second.why, "another program has it open"));
    source_close(&first);
    assert_int_equal(source_open(&second, path, &options), 0);
    source_close(&second);
    close(board);
}

/* Run without root's rights, to whom alone every device opens: 0 if it opens again and again. */
static int try_again(const char *path) {
    if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        struct source source;
        if (source_open(&source, path, &options) != 0) {
            return 3;
        }
        source_close(&source);
    }
    return 0;
}

CASE(serial_opens_again) {
    char path[64];
    int status, board = make_line(path, sizeof path);
    assert_int_equal(chmod(path, 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(try_again(path));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(board);
}

CASE(missing_device) {
    struct source source;
    assert_int_equal(source_open(&source, "/dev/ttyUSB99", &options), -ENOENT);
    assert_non_null(strstr(source.why, "no such file or device"));
    assert_int_equal(source_open(&source, "/", &options), -EISDIR);
}

/* ---- ports that the system knows ---- */

static char root[] = "/tmp/kymo-root-XXXXXX";

static const char *in_root(const char *name) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

/* The tree of a machine with one serial port, ttyS0, which is not on USB; as hostlink is to see it. */
static int make_root(void **state) {
    static const char *const folders[] = {"dev",
                                          "sys",
                                          "sys/class",
                                          "sys/class/tty",
                                          "sys/class/tty/ttyS0",
                                          "sys/class/tty/ttyS0/device"};
    (void)state;
    (void)strcpy(root + sizeof root - 7, "XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        assert_int_equal(mkdir(in_root(folders[i]), 0700), 0);
    }
    return setenv(PORT_ROOT_ENVIRONMENT, root, 1);
}

static int remove_root(void **state) {
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return unsetenv(PORT_ROOT_ENVIRONMENT) != 0 ? -1 : system(command);
}

/* Only a device on USB is known again when it returns. */
CASE(only_usb_is_waited_for, make_root, remove_root) {
    char line[64];
    struct source source;
    int board = make_line(line, sizeof line);
    assert_int_equal(symlink(line, in_root("dev/ttyS0")), 0);
    assert_int_equal(source_open(&source, in_root("dev/ttyS0"), &options), 0);
    assert_int_equal(source.returns, SOURCE_MAY_RETURN);
    source_close(&source);
    file_write(in_root("sys/class/tty/ttyS0/device/idVendor"), "2e8a\n");
    assert_int_equal(source_open(&source, in_root("dev/ttyS0"), &options), 0);
    assert_int_equal(source.returns, SOURCE_RETURNS);
    source_close(&source);
    close(board);
}

CASE(a_missing_device_names_those_that_are_there, make_root, remove_root) {
    char expected[256];
    struct source source;
    assert_int_equal(source_open(&source, "/dev/ttyUSB99", &options), -ENOENT);
    (void)snprintf(expected, sizeof expected,
                   "no such file or device; serial ports here, see 'hostlink list': %s",
                   in_root("dev/ttyS0"));
    assert_string_equal(source.why, expected);
}

/* Run without root's rights: 0 if the open fails as it should. */
static int try_forbidden(const char *path) {
    struct source source;
    if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        return 2;
    }
    if (source_open(&source, path, &options) != -EACCES) {
        return 3;
    }
    return strstr(source.why, "permission denied: add yourself to group") != NULL ? 0 : 4;
}

CASE(forbidden_device) {
    char path[64];
    int status, board = make_line(path, sizeof path);
    assert_int_equal(chmod(path, 0), 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(try_forbidden(path));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(board);
}

static int listen_on(const struct sockaddr *address, socklen_t length) {
    int fd = socket(address->sa_family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, address, length), 0);
    assert_int_equal(listen(fd, 1), 0);
    return fd;
}

static int reopen(struct source *source) {
    int error;
    while ((error = source_reopen(source)) == -EINPROGRESS) {
        sched_yield();
    }
    return error;
}

static void check_socket(const char *name, int server) {
    struct source source;
    uint8_t byte;
    assert_int_equal(source_open(&source, name, &options), 0);
    int board = accept(server, NULL, NULL);
    assert_true(board >= 0);
    check_both_ways(&source, board);
    close(board);
    assert_int_equal(read_when_ready(&source, &byte, 1), 0);
    source_close(&source);
    assert_int_equal(source.returns, SOURCE_MAY_RETURN);
    assert_int_equal(reopen(&source), 0);
    board = accept(server, NULL, NULL);
    assert_true(board >= 0);
    check_both_ways(&source, board);
    source_close(&source);
    close(board);
    close(server);
    assert_int_equal(reopen(&source), -ECONNREFUSED);
    assert_int_equal(source_open(&source, name, &options), -ECONNREFUSED);
    assert_non_null(strstr(source.why, "Connection refused"));
}

CASE(unix_socket) {
    char name[160];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", file_path("socket"));
    snprintf(name, sizeof name, "unix:%s", address.sun_path);
    check_socket(name, listen_on((const struct sockaddr *)&address, sizeof address));

    struct source source;
    assert_int_equal(source_open(&source, address.sun_path, &options), -ENOTSOCK);
    assert_non_null(strstr(source.why, name));
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "unix:", 5);
    name[sizeof name - 1] = '\0';
    assert_int_equal(source_open(&source, name, &options), -ENAMETOOLONG);
}

/* A server on a free port, and how hostlink names it. */
static int listen_tcp(struct sockaddr_in *address, char *name, size_t size) {
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int server = listen_on((const struct sockaddr *)address, sizeof *address);
    assert_int_equal(getsockname(server, (struct sockaddr *)address, &length), 0);
    snprintf(name, size, "tcp:127.0.0.1:%u", (unsigned)ntohs(address->sin_port));
    return server;
}

CASE(tcp_socket) {
    char name[64];
    struct sockaddr_in address;
    int server = listen_tcp(&address, name, sizeof name);
    check_socket(name, server);
}

/* A board whose power is cut sends no end. */
CASE(tcp_is_kept_alive) {
    char name[64];
    struct sockaddr_in address;
    struct source source;
    int on = 0;
    socklen_t size = sizeof on;
    int server = listen_tcp(&address, name, sizeof name);
    assert_int_equal(source_open(&source, name, &options), 0);
    assert_int_equal(getsockopt(source.fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
    assert_int_not_equal(on, 0);
    source_close(&source);
    close(server);
}

/* Connections that are not accepted fill the server's queue: then nothing answers any more. */
CASE(tcp_without_an_answer) {
    struct source_attempt attempt = {0};
    const struct source_options quick = {.baud = 115200, .attempt = &attempt};
    unsigned turns = 0;
    int error;
    char name[64];
    struct sockaddr_in address;
    struct source source;
    int waiting[8];
    int server = listen_tcp(&address, name, sizeof name);
    for (size_t i = 0; i < 8; i++) {
        waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        assert_true(waiting[i] >= 0);
        (void)connect(waiting[i], (const struct sockaddr *)&address, sizeof address);
    }
    while ((error = source_open(&source, name, &quick)) == -EINPROGRESS) {
        turns++; /* and never waits */
    }
    assert_int_equal(error, -ETIMEDOUT);
    assert_in_range(turns, 2, 100);
    assert_non_null(strstr(source.why, "nothing answers at this address"));
    for (size_t i = 0; i < 8; i++) {
        close(waiting[i]);
    }
    close(server);
}

CASE(tcp_names) {
    static const char *const wrong[] = {"tcp:",      "tcp://",   "tcp:host:",  "tcp::80",
                                        "tcp:[]:80", "tcp:[::1", "tcp:[::1]80"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct source source;
        assert_int_equal(source_open(&source, wrong[i], &options), -EINVAL);
        assert_non_null(strstr(source.why, "tcp:HOST:PORT"));
    }
}

CASE(pty_source) {
    char name[160], link[128];
    struct source source;
    uint8_t byte;
    snprintf(link, sizeof link, "%s", file_path("pty"));
    snprintf(name, sizeof name, "pty:%s", link);
    assert_int_equal(source_open(&source, name, &options), 0);
    int board = open(link, O_RDWR | O_NOCTTY);
    assert_true(board >= 0);
    check_both_ways(&source, board);
    close(board);
    assert_int_equal(read_when_ready(&source, &byte, 1), 0);
    source_close(&source);
    assert_false(file_exists(link));

    file_write(link, "mine");
    assert_int_equal(source_open(&source, name, &options), -EEXIST);
    char *content = file_read(link, NULL);
    assert_string_equal(content, "mine");
    free(content);
}

CASE(plain_file) {
    uint8_t bytes[8];
    struct source source;
    file_write(file_path("plain"), "ab\1");
    assert_int_equal(source_open(&source, file_path("plain"), &options), 0);
    assert_false(source.live || source.two_way || source.serial);
    assert_int_equal(source_read(&source, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "ab\1", 3);
    assert_int_equal(source_read(&source, bytes, sizeof bytes), 0);
    assert_int_equal(source_write(&source, bytes, 1), -EBADF);
    source_close(&source);
}

CASE(device_that_is_no_terminal) {
    uint8_t bytes[4] = {1, 1, 1, 1};
    struct source source;
    assert_int_equal(source_open(&source, "/dev/zero", &options), 0);
    assert_true(source.live);
    assert_int_equal(source_read(&source, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "\0\0\0\0", 4);
    source_close(&source);
}

CASES_BETWEEN(files_setup, files_teardown);
