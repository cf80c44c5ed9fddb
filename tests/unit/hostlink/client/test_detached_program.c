/* SPDX-License-Identifier: MIT */
/* A program that is started beside this process, as one that knows lines is (client/detached_program.h). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "client/detached_program.h"

#define ANSWER_MS 300000

static volatile sig_atomic_t children;

static void on_child(int number) {
    (void)number;
    children++;
}

static int life; /* of the program that was started last */

/* Returns this side; the other one is the program's alone. */
static int start(const char *const *argv, int expected) {
    int pair[2], lives[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lives), 0);
    assert_int_equal(detached_program_start(argv, pair[1], lives[1]), expected);
    (void)close(pair[1]);
    (void)close(lives[1]);
    life = lives[0];
    return pair[0];
}

static void end(int fd) {
    (void)close(fd);
    (void)close(life);
}

static void read_all(int fd, char *text, size_t size) {
    size_t used = 0;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    while (poll(&one, 1, ANSWER_MS) == 1) {
        const ssize_t count = read(fd, text + used, size - 1 - used);
        if (count <= 0) {
            break;
        }
        used += (size_t)count;
    }
    text[used] = '\0';
}

CASE(is_no_child) {
    const char *const argv[] = {"cat", NULL};
    char echo[4] = "";
    assert_true(signal(SIGCHLD, on_child) != SIG_ERR);
    const int fd = start(argv, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(recv(fd, echo, 3, MSG_WAITALL), 3);
    assert_string_equal(echo, "abc");
    end(fd);
    assert_int_equal(children, 0);
}

/* The process that adopted it may look later. */
static bool is_there(long process) {
    char name[64], stat[512];
    (void)snprintf(name, sizeof name, "/proc/%ld/stat", process);
    FILE *file = fopen(name, "r");
    const bool there =
        file != NULL && fgets(stat, sizeof stat, file) != NULL && strstr(stat, ") Z") == NULL;
    if (file != NULL) {
        (void)fclose(file);
    }
    return there;
}

static bool ends(long process) {
    for (int i = 0; i < ANSWER_MS / 10 && is_there(process); i++) {
        (void)poll(NULL, 0, 10);
    }
    return !is_there(process);
}

static long read_number(int fd) {
    char number[16] = "";
    assert_true(read(fd, number, sizeof number - 1) > 1);
    return strtol(number, NULL, 10);
}

CASE(ends_with_its_input) {
    const char *const argv[] = {"sh", "-c", "echo $$; exec cat", NULL};
    const int fd = start(argv, 0);
    const long process = read_number(fd);
    (void)close(fd);
    assert_true(ends(process));
    (void)close(life);
}

/* A script that waits for a program that does not read: neither of them ends by itself. */
static const char *const hangs[] = {"sh", "-c",
                                    "trap '' HUP INT TERM IO; sleep 1000 & echo $!; wait", NULL};

CASE(is_killed) {
    const int fd = start(hangs, 0);
    const long process = read_number(fd);
    (void)close(fd);
    (void)poll(NULL, 0, 50);
    assert_true(is_there(process));
    (void)close(life);
    assert_true(ends(process));
}

/* Also by a signal. */
CASE(is_killed_with_this_process) {
    int pair[2];
    assert_int_equal(pipe(pair), 0);
    const pid_t child = fork();
    if (child == 0) {
        const long process = read_number(start(hangs, 0));
        (void)dprintf(pair[1], "%ld\n", process);
        (void)pause();
    }
    const long process = read_number(pair[0]);
    assert_true(is_there(process));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(ends(process));
    (void)close(pair[0]);
    (void)close(pair[1]);
}

CASE(has_nothing_of_this_process) {
    const char *const argv[] = {
        "sh", "-c", "echo; ls /proc/$$/fd; env; exec grep ^Sig /proc/self/status", NULL};
    char text[8192];
    sigset_t all, before;
    const int other = dup2(STDOUT_FILENO, 77);
    assert_int_equal(setenv("LD_PRELOAD_OF_THE_USER", "x", 1), 0);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    const int fd = start(argv, 0);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    read_all(fd, text, sizeof text);
    assert_null(strstr(text, "\n77\n"));
    assert_null(strstr(text, "LD_PRELOAD_OF_THE_USER"));
    assert_non_null(strstr(text, "PATH="));
    assert_non_null(strstr(text, "SigBlk:\t0000000000000000"));
    assert_non_null(strstr(text, "SigCgt:\t00000000"));
    assert_null(strstr(text, "\n4\n"));
    end(fd);
    (void)close(other);
}

/* Also where this process has closed its own standard input and output. */
CASE(takes_any_descriptor) {
    const char *const argv[] = {"echo", "well", NULL};
    char text[64];
    int pair[2], lives[2];
    const int kept[2] = {dup(STDIN_FILENO), dup(STDOUT_FILENO)};
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lives), 0);
    const int result = detached_program_start(argv, pair[1], lives[1]);
    const int fd = fcntl(pair[0], F_DUPFD, 3);
    (void)close(pair[1]);
    (void)close(lives[1]);
    (void)dup2(kept[0], STDIN_FILENO);
    (void)dup2(kept[1], STDOUT_FILENO);
    assert_int_equal(result, 0);
    read_all(fd, text, sizeof text);
    assert_string_equal(text, "well\n");
    (void)close(fd);
    (void)close(lives[0]);
}

CASE(says_what_is_not_there) {
    const char *const missing[] = {"no-program-of-this-name", NULL};
    const char *const folder[] = {"/tmp", NULL};
    const char *const data[] = {"/etc/passwd", NULL};
    end(start(missing, -ENOENT));
    end(start(folder, -EACCES));
    end(start(data, -ENOENT));
    assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
}
