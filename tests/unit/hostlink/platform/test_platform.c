/* SPDX-License-Identifier: MIT */
/* The system's calls as hostlink has them: the promises of their headers on every system. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "cases.h"
#include "files.h"
#include "platform/file.h"
#include "platform/memory_stream.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "platform/process.h"
#include "platform/pseudo.h"
#include "platform/serial.h"
#include "platform/terminal.h"

#define PATIENCE_MS 120000

static void assert_fails(int64_t got, int error) {
    const int was = errno;
    assert_int_equal(got, -1);
    assert_int_equal(was, error);
}

static void assert_content(const char *path, const char *expected) {
    char *content = file_read(path, NULL);
    assert_non_null(content);
    assert_string_equal(content, expected);
    free(content);
}

static int opened(const char *path, unsigned how) {
    const int fd = sys_open(path, how);
    assert_true(fd >= 0);
    return fd;
}

/* ---- files ---- */

CASE(files_are_made_and_opened) {
    char bytes[8];
    const char *path = file_path("made");
    assert_fails(sys_open(path, SYS_READ), ENOENT);
    assert_fails(sys_open(path, SYS_WRITE), ENOENT);
    int fd = opened(path, SYS_WRITE | SYS_NEW);
    assert_int_equal(sys_write(fd, "a\nb", 3), 3);
    assert_int_equal(sys_close(fd), 0);
    assert_fails(sys_open(path, SYS_WRITE | SYS_NEW), EEXIST);
    fd = opened(path, SYS_WRITE | SYS_MAKE | SYS_APPEND);
    assert_int_equal(sys_write(fd, "\r\n\x1a.", 4), 4);
    assert_int_equal(sys_sync(fd), 0);
    assert_int_equal(sys_close(fd), 0);
    fd = opened(path, SYS_READ);
    assert_int_equal(sys_read(fd, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes, "a\nb\r\n\x1a.", 7);
    assert_int_equal(sys_read(fd, bytes, sizeof bytes), 0);
    assert_int_equal(sys_close(fd), 0);
    assert_fails(sys_open(file_path("."), SYS_WRITE), EISDIR);
    assert_fails(sys_open("", SYS_READ), ENOENT);
}

CASE(places_in_a_file) {
    char bytes[8];
    int fd = opened(file_path("places"), SYS_READ | SYS_WRITE | SYS_MAKE);
    assert_true(sys_can_read_back(fd));
    assert_int_equal(sys_write(fd, "0123456789", 10), 10);
    assert_int_equal(sys_seek(fd, 2, SEEK_SET), 2);
    assert_int_equal(sys_read_at(fd, bytes, 4, 8), 2);
    assert_memory_equal(bytes, "89", 2);
    assert_int_equal(sys_read(fd, bytes, 2), 2);
    assert_memory_equal(bytes, "23", 2);
    assert_int_equal(sys_truncate(fd, 6), 0);
    assert_int_equal(sys_seek(fd, 0, SEEK_END), 6);
    assert_int_equal(sys_seek(fd, -1, SEEK_CUR), 5);

    const int copy = sys_duplicate(fd);
    assert_true(copy >= 0 && copy != fd);
    assert_true(sys_can_read_back(copy));
    assert_int_equal(sys_close(fd), 0);
    assert_int_equal(sys_read(copy, bytes, 8), 1);
    assert_memory_equal(bytes, "5", 1);
    assert_int_equal(sys_close(copy), 0);
    fd = opened(file_path("places"), SYS_READ);
    assert_false(sys_can_read_back(fd));
    assert_int_equal(sys_close(fd), 0);
}

CASE(status_of_files) {
    const int64_t now_s = (int64_t)(host_unix_ns() / NS_PER_S);
    struct sys_status file, again, other, folder, open;
    file_write(file_path("status"), "12345");
    file_write(file_path("other"), "12345");
    assert_int_equal(sys_status_of(file_path("status"), &file), 0);
    assert_int_equal(sys_status_of(file_path("./status"), &again), 0);
    assert_int_equal(sys_status_of(file_path("other"), &other), 0);
    assert_int_equal(sys_status_of(file_path("."), &folder), 0);
    assert_int_equal(file.type, SYS_REGULAR);
    assert_int_equal(file.bytes, 5);
    assert_in_range(file.changed_s, now_s - 3600, now_s + 3600);
    assert_int_equal(folder.type, SYS_FOLDER);
    assert_true(sys_is_same(&file, &again));
    assert_false(sys_is_same(&file, &other));
    assert_false(sys_is_same(&file, &folder));
    const int fd = opened(file_path("status"), SYS_READ);
    assert_int_equal(sys_status(fd, &open), 0);
    assert_true(sys_is_same(&file, &open));
    assert_int_equal(sys_close(fd), 0);
    assert_true(sys_is_regular(file_path("status")) && !sys_is_regular(file_path(".")));
    assert_true(sys_exists(file_path(".")) && !sys_exists(file_path("none")));
    assert_fails(sys_status_of(file_path("none"), &file), ENOENT);
    assert_int_equal(sys_check_writable(file_path("status")), 0);
    assert_fails(sys_check_writable(file_path("none")), ENOENT);
    assert_int_equal(sys_check_folder(file_path(".")), 0);
    assert_fails(sys_check_folder(file_path("none")), ENOENT);
    assert_fails(sys_check_folder(file_path("status")), ENOTDIR);
}

CASE(folders) {
    assert_int_equal(sys_make_folder(file_path("folder")), 0);
    assert_fails(sys_make_folder(file_path("folder")), EEXIST);
    assert_fails(sys_make_folder(file_path("none/folder")), ENOENT);
    file_write(file_path("folder/file"), "");
    assert_fails(sys_remove_folder(file_path("folder")), ENOTEMPTY);
    assert_int_equal(sys_remove(file_path("folder/file")), 0);
    assert_fails(sys_remove(file_path("folder/file")), ENOENT);
    assert_int_equal(sys_remove_folder(file_path("folder")), 0);
    assert_fails(sys_remove_folder(file_path("folder")), ENOENT);
}

CASE(replaces) {
    file_write(file_path("new"), "new");
    file_write(file_path("old"), "older");
    assert_int_equal(sys_replace(file_path("new"), file_path("old")), 0);
    assert_content(file_path("old"), "new");
    assert_false(sys_exists(file_path("new")));
    assert_int_equal(sys_replace(file_path("old"), file_path("moved")), 0);
    assert_content(file_path("moved"), "new");
    assert_fails(sys_replace(file_path("old"), file_path("moved")), ENOENT);
    assert_content(file_path("moved"), "new");
}

/* Also where they are not of ASCII. */
CASE(names_of_files) {
    static char path[SYS_PATH_BYTES], real[SYS_PATH_BYTES], folder[SYS_PATH_BYTES];
    assert_non_null(sys_real_path(file_path("."), folder));
    assert_int_equal(sys_make_folder(file_path("gr\xc3\xb6\xc3\x9f\x65")), 0);
    snprintf(path, sizeof path, "%s", file_path("gr\xc3\xb6\xc3\x9f\x65/\xe6\x97\xa5"));
    file_write(path, "kept");
    assert_non_null(sys_real_path(
        file_path("./gr\xc3\xb6\xc3\x9f\x65/../gr\xc3\xb6\xc3\x9f\x65/\xe6\x97\xa5"), real));
    assert_memory_equal(real, folder, strlen(folder));
    assert_string_equal(real + strlen(folder), "/gr\xc3\xb6\xc3\x9f\x65/\xe6\x97\xa5");
    assert_content(real, "kept");
    assert_null(sys_real_path(file_path("none"), real));
    assert_string_equal(sys_last_part(path), "\xe6\x97\xa5");
    assert_string_equal(sys_last_part("a/b/"), "");
    assert_string_equal(sys_last_part("name"), "name");
    assert_int_equal(sys_remove(path), 0);
    assert_int_equal(sys_remove_folder(file_path("gr\xc3\xb6\xc3\x9f\x65")), 0);
}

/* Longer than Windows' 260. */
CASE(long_paths) {
    enum { LEVELS = 6 };
    static char paths[LEVELS + 1][1024];
    snprintf(paths[0], sizeof paths[0], "%s", file_path("long"));
    for (unsigned i = 0; i < LEVELS; i++) {
        assert_int_equal(sys_make_folder(paths[i]), 0);
        assert_int_equal(sys_check_folder(paths[i]), 0);
        strcpy(paths[i + 1], paths[i]);
        const size_t length = strlen(paths[i]);
        snprintf(paths[i + 1] + length, sizeof paths[0] - length, "/%090u\xe6\x97\xa5", i);
    }
    assert_true(strlen(paths[LEVELS]) > 500);
    file_write(paths[LEVELS], "deep");
    assert_int_equal(sys_replace(paths[LEVELS], file_path("shallow")), 0);
    assert_int_equal(sys_replace(file_path("shallow"), paths[LEVELS]), 0);
    assert_content(paths[LEVELS], "deep");
    assert_true(sys_is_regular(paths[LEVELS]));
    assert_int_equal(sys_remove(paths[LEVELS]), 0);
    for (unsigned i = LEVELS; i > 0; i--) {
        assert_int_equal(sys_remove_folder(paths[i - 1]), 0);
    }
}

CASE(locks) {
    file_write(file_path("locked"), "text");
    const int first = opened(file_path("locked"), SYS_READ | SYS_WRITE);
    const int second = opened(file_path("locked"), SYS_READ);
    const int third = opened(file_path("locked"), SYS_READ);
    assert_int_equal(sys_lock(first, false), 0);
    assert_fails(sys_lock(second, true), EAGAIN);
    assert_content(file_path("locked"), "text"); /* opens without a lock can read */
    assert_int_equal(sys_close(first), 0);
    assert_int_equal(sys_lock(second, true), 0);
    assert_int_equal(sys_lock(third, true), 0);
    assert_int_equal(sys_close(second), 0);
    assert_int_equal(sys_close(third), 0);
}

CASE(temporary_files) {
    char one[SYS_PATH_BYTES], two[SYS_PATH_BYTES], bytes[4];
    const int a = sys_open_temporary(), b = sys_open_temporary();
    assert_true(a >= 0 && b >= 0);
    assert_int_equal(sys_write(a, "abcd", 4), 4);
    assert_int_equal(sys_read_at(b, bytes, 4, 0), 0);
    assert_int_equal(sys_read_at(a, bytes, 4, 0), 4);
    assert_memory_equal(bytes, "abcd", 4);
    assert_int_equal(sys_close(a), 0);
    assert_int_equal(sys_close(b), 0);
    assert_int_equal(sys_make_temporary(one, sizeof one), 0);
    assert_int_equal(sys_make_temporary(two, sizeof two), 0);
    assert_true(strcmp(one, two) != 0);
    assert_int_equal(sys_check_folder(one), 0);
    assert_int_equal(sys_remove_folder(one), 0);
    assert_int_equal(sys_remove_folder(two), 0);
}

CASE(streams_into_memory) {
    char *text = NULL, *nothing = NULL;
    size_t length = 99, none = 99;
    FILE *out = memory_stream_open(&text, &length), *empty = memory_stream_open(&nothing, &none);
    assert_true(out && empty);
    assert_int_equal(fwrite("a\n\0b", 1, 4, out), 4);
    assert_int_equal(fprintf(out, "%zu %.3e", (size_t)5, 1500.0), 11);
    assert_int_equal(memory_stream_close(empty), 0);
    assert_int_equal(memory_stream_close(out), 0);
    assert_int_equal(length, 15);
    assert_memory_equal(text, "a\n\0b5 1.500e+03", 16);
    assert_int_equal(none, 0);
    assert_string_equal(nothing, "");
    free(text);
    free(nothing);
}

/* ---- sockets and waiting ---- */

static int events_of(int fd, short events, int timeout_ms) {
    struct sys_poll wait = {.fd = fd, .events = events};
    assert_true(sys_poll(&wait, 1, timeout_ms) >= 0);
    return wait.revents;
}

static void assert_receives(int fd, const char *expected) {
    char bytes[256];
    for (size_t have = 0; have < strlen(expected);) {
        assert_true((events_of(fd, SYS_POLL_IN, PATIENCE_MS) & SYS_POLL_IN) != 0);
        const ssize_t count = sys_receive(fd, bytes, sizeof bytes);
        assert_true(count > 0 && have + (size_t)count <= strlen(expected));
        assert_memory_equal(bytes, expected + have, (size_t)count);
        have += (size_t)count;
    }
}

static void assert_ends(int fd) {
    char byte;
    assert_true(events_of(fd, SYS_POLL_IN, PATIENCE_MS) != 0);
    assert_int_equal(sys_receive(fd, &byte, 1), 0);
}

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* At a free port, which is said in "address". */
static int bound(int type, struct sockaddr_in *address) {
    socklen_t length = sizeof *address;
    const int fd = sys_socket(AF_INET, type);
    assert_true(fd >= 0);
    sys_share_address(fd);
    *address = loopback(0);
    assert_int_equal(sys_bind(fd, (struct sockaddr *)address, length), 0);
    assert_int_equal(sys_socket_name(fd, (struct sockaddr *)address, &length), 0);
    assert_int_not_equal(address->sin_port, 0);
    return fd;
}

static int connecting(const struct sockaddr_in *address) {
    const int fd = sys_socket(AF_INET, SOCK_STREAM);
    assert_true(fd >= 0);
    if (sys_connect(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        assert_int_equal(errno, EINPROGRESS);
    }
    return fd;
}

CASE(tcp) {
    struct sockaddr_in address, peer;
    socklen_t length = sizeof peer;
    char bytes[4];
    const int server = bound(SOCK_STREAM, &address);
    assert_int_equal(sys_listen(server, 4), 0);
    assert_fails(sys_accept(server, NULL, NULL), EAGAIN);
    const int client = connecting(&address);
    assert_int_equal(events_of(client, SYS_POLL_OUT, PATIENCE_MS), SYS_POLL_OUT);
    assert_int_equal(sys_socket_error(client), 0);
    assert_int_equal(events_of(server, SYS_POLL_IN, PATIENCE_MS), SYS_POLL_IN);
    const int board = sys_accept(server, (struct sockaddr *)&peer, &length);
    assert_true(board >= 0);
    assert_int_equal(peer.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    sys_keep_alive(board, 10, 3);

    assert_fails(sys_receive(board, bytes, 4), EAGAIN);
    assert_int_equal(events_of(board, SYS_POLL_IN, 0), 0);
    assert_int_equal(sys_send(client, "up", 2), 2);
    assert_int_equal(events_of(board, SYS_POLL_IN, PATIENCE_MS), SYS_POLL_IN);
    assert_int_equal(sys_peek(board, bytes, 1), 1);
    assert_receives(board, "up");
    assert_int_equal(sys_write(board, "down", 4), 4);
    assert_receives(client, "down");
    assert_int_equal(sys_shut_write(client), 0);
    assert_ends(board);
    assert_int_equal(sys_send(board, "more", 4), 4);
    assert_receives(client, "more");
    assert_int_equal(sys_close(board), 0);
    assert_ends(client);
    assert_int_equal(sys_close(client), 0);
    assert_int_equal(sys_close(server), 0);
}

CASE(nobody_listens) {
    struct sockaddr_in address, own;
    const int server = bound(SOCK_STREAM, &address);
    assert_int_equal(sys_listen(server, 1), 0);
    const int second = sys_socket(AF_INET, SOCK_STREAM);
    assert_fails(sys_bind(second, (struct sockaddr *)&address, sizeof address), EADDRINUSE);
    assert_int_equal(sys_close(second), 0);
    assert_int_equal(sys_close(server), 0);
    /* Its port stays this program's, but no socket listens there. */
    const int silent = bound(SOCK_STREAM, &own);
    const int client = connecting(&own);
    assert_true(events_of(client, SYS_POLL_OUT, PATIENCE_MS) != 0);
    assert_int_equal(sys_socket_error(client), ECONNREFUSED);
    assert_int_equal(sys_close(client), 0);
    assert_int_equal(sys_close(silent), 0);
}

CASE(datagrams) {
    struct sockaddr_in one_at, two_at, from;
    socklen_t length = sizeof from;
    char bytes[16];
    const int one = bound(SOCK_DGRAM, &one_at), two = bound(SOCK_DGRAM, &two_at);
    assert_fails(sys_receive_from(two, bytes, sizeof bytes, NULL, NULL), EAGAIN);
    assert_int_equal(sys_send_to(one, "hello", 5, (struct sockaddr *)&two_at, sizeof two_at), 5);
    assert_int_equal(events_of(two, SYS_POLL_IN, PATIENCE_MS), SYS_POLL_IN);
    assert_int_equal(sys_receive_from(two, bytes, sizeof bytes, (struct sockaddr *)&from, &length),
                     5);
    assert_memory_equal(bytes, "hello", 5);
    assert_int_equal(from.sin_port, one_at.sin_port);
    assert_int_equal(sys_close(one), 0);
    assert_int_equal(sys_close(two), 0);
}

CASE(waits_for_any_kind) {
    static struct sys_poll many[SYS_POLL_MAX + 1];
    int pair[2];
    assert_int_equal(sys_socket_pair(pair), 0);
    const int file = opened(file_path("waits"), SYS_WRITE | SYS_MAKE);
    struct sys_poll wait[3] = {{.fd = pair[0], .events = SYS_POLL_IN},
                               {.fd = -1, .events = SYS_POLL_IN, .revents = SYS_POLL_IN},
                               {.fd = file, .events = SYS_POLL_OUT}};
    assert_int_equal(sys_poll(wait, 3, PATIENCE_MS), 1);
    assert_int_equal(wait[0].revents, 0);
    assert_int_equal(wait[1].revents, 0);
    assert_int_equal(wait[2].revents, SYS_POLL_OUT);
    assert_int_equal(sys_send(pair[1], "x", 1), 1);
    assert_int_equal(sys_poll(wait, 2, PATIENCE_MS), 1);
    assert_int_equal(wait[0].revents, SYS_POLL_IN);
    assert_receives(pair[0], "x");

    uint64_t before_ns = host_monotonic_ns();
    assert_int_equal(sys_poll(wait, 2, 5), 0);
    assert_true(host_monotonic_ns() - before_ns >= 4 * NS_PER_MS);
    before_ns = host_monotonic_ns();
    sys_sleep_ms(5);
    assert_true(host_monotonic_ns() - before_ns >= 4 * NS_PER_MS);
    assert_int_equal(sys_close(pair[1]), 0);
    assert_ends(pair[0]);
    assert_int_equal(sys_close(pair[0]), 0);
    assert_int_equal(sys_close(file), 0);
    memset(many, 0xff, sizeof many); /* none of them a descriptor */
    assert_int_equal(sys_poll(many, SYS_POLL_MAX, 0), 0);
    assert_true(host_unix_ns() > UINT64_C(1600000000) * NS_PER_S);
}

/* ---- child processes ---- */

/* TEST_SHELL, TEST_SHELL_OPTION and TEST_SHELL_WAIT (until a line comes) are the system's. */
static pid_t start(const char *command, int fd) {
    const char *const argv[] = {TEST_SHELL, TEST_SHELL_OPTION, command, NULL};
    return process_start(&(struct spawn){.argv = argv, .in_out_fd = fd, .group = fd >= 0});
}

static int status_at_the_end(pid_t pid) {
    int status;
    while ((status = process_status(pid)) == PROCESS_RUNS) {
        sys_sleep_ms(1);
    }
    return status;
}

CASE(children_end) {
    const char *const none[] = {"no-program-of-this-name", NULL};
    assert_int_equal(process_start(&(struct spawn){.argv = none, .in_out_fd = -1}), -ENOENT);
    const pid_t pid = start("exit 7", -1);
    assert_true(pid > 0);
    assert_int_equal(status_at_the_end(pid), 7);
}

CASE(children_talk) {
    int pair[2];
    assert_int_equal(sys_socket_pair(pair), 0);
    const pid_t pid = start("echo said", pair[1]);
    assert_true(pid > 0);
    assert_int_equal(sys_close(pair[1]), 0);
    assert_receives(pair[0], "said" TEST_SHELL_LINE_END);
    assert_ends(pair[0]);
    assert_int_equal(status_at_the_end(pid), 0);
    assert_int_equal(sys_close(pair[0]), 0);
}

CASE(children_are_ended) {
    int pair[2];
    for (int with_wait = 0; with_wait < 2; with_wait++) {
        assert_int_equal(sys_socket_pair(pair), 0);
        const pid_t pid = start(TEST_SHELL_WAIT, pair[1]);
        assert_true(pid > 0);
        assert_int_equal(sys_close(pair[1]), 0);
        assert_int_equal(process_status(pid), PROCESS_RUNS);
        if (with_wait) {
            process_kill(pid);
            assert_int_equal(process_status(pid), PROCESS_UNKNOWN);
        } else {
            process_end(pid, true, true);
            assert_int_equal(status_at_the_end(pid), 137);
        }
        assert_int_equal(sys_close(pair[0]), 0);
    }
}

/* ---- serial devices and terminals ---- */

/* A pseudo-terminal of its own, or where the system has none the port that the environment names, which sends back what
 * it gets. */
CASE(serial_line) {
    static const char said[] = "\x03\x11\x13\r\n\x7f\x1a";
    char name[256] = "", bytes[sizeof said];
    int other = -1;
    if (pseudo_terminal_make(&other, name, sizeof name) == -ENOTSUP) {
        snprintf(name, sizeof name, "%s", getenv("TEST_SERIAL"));
    }
    const int fd = serial_open(name);
    assert_true(fd >= 0);
    assert_int_equal(serial_set_raw(fd, false), 0);
    assert_int_equal(serial_rate_set(fd, 57600), 0);
    assert_int_equal(serial_rate_get(fd), 57600);
    assert_fails(sys_read(fd, bytes, 1), EAGAIN);
    assert_int_equal(events_of(fd, SYS_POLL_IN, 0), 0);
    assert_int_equal(sys_write(fd, said, sizeof said), sizeof said);
    if (other >= 0) {
        assert_int_equal(events_of(other, SYS_POLL_IN, PATIENCE_MS), SYS_POLL_IN);
        assert_int_equal(sys_read(other, bytes, sizeof bytes), sizeof said);
        assert_int_equal(sys_write(other, bytes, sizeof said), sizeof said);
    }
    for (size_t have = 0; have < sizeof said;) {
        assert_int_equal(events_of(fd, SYS_POLL_IN, PATIENCE_MS), SYS_POLL_IN);
        const ssize_t count = sys_read(fd, bytes + have, sizeof bytes - have);
        assert_true(count > 0);
        have += (size_t)count;
    }
    assert_memory_equal(bytes, said, sizeof said);
    assert_int_equal(sys_close(fd), 0);
    if (other >= 0) {
        assert_int_equal(sys_close(other), 0);
    }
}

CASE(what_is_no_serial_device) {
    unsigned columns, rows;
    file_write(file_path("file"), "");
    assert_int_equal(serial_open(file_path("none")), -ENOENT);
    assert_int_equal(serial_open(file_path("file")), -ENOTTY);
    const int fd = opened(file_path("file"), SYS_READ);
    assert_false(terminal_is(fd));
    assert_false(terminal_takes_sequences(fd));
    assert_false(terminal_size(fd, &columns, &rows));
    assert_int_equal(sys_close(fd), 0);
}

CASES_BETWEEN(files_setup, files_teardown);
