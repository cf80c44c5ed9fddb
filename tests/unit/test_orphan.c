/* A program that is started beside this process, as one that knows lines is (client/orphan.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/orphan.h"

#define ANSWER_MS 20000

static volatile sig_atomic_t children;

static void on_child(int number) {
    (void)number;
    children++;
}

/* Returns this side; the other one is the program's alone. */
static int start(const char *const *argv, int expected) {
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(orphan_start(argv, pair[1]), expected);
    (void)close(pair[1]);
    return pair[0];
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

static void is_no_child(void **state) {
    (void)state;
    const char *const argv[] = {"cat", NULL};
    char echo[4] = "";
    assert_true(signal(SIGCHLD, on_child) != SIG_ERR);
    const int fd = start(argv, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(recv(fd, echo, 3, MSG_WAITALL), 3);
    assert_string_equal(echo, "abc");
    (void)close(fd);
    assert_int_equal(children, 0);
}

/* The end of its input is the end of it. */
static void ends_with_its_input(void **state) {
    (void)state;
    const char *const argv[] = {"sh", "-c", "echo $$; exec cat", NULL};
    char number[16] = "", name[64], stat[512];
    const int fd = start(argv, 0);
    assert_true(read(fd, number, sizeof number - 1) > 1);
    (void)snprintf(name, sizeof name, "/proc/%ld/stat", strtol(number, NULL, 10));
    (void)close(fd);
    bool there = true;
    for (int i = 0; i < 1000 && there; i++) {
        FILE *file = fopen(name, "r");
        there = file != NULL && fgets(stat, sizeof stat, file) != NULL &&
                strstr(stat, ") Z") == NULL; /* whoever adopted it may look later */
        if (file != NULL) {
            (void)fclose(file);
        }
        (void)poll(NULL, 0, 10);
    }
    assert_false(there);
}

static void has_nothing_of_this_process(void **state) {
    (void)state;
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
    (void)close(fd);
    (void)close(other);
}

/* Also where this process has closed its own standard input and output. */
static void takes_any_descriptor(void **state) {
    (void)state;
    const char *const argv[] = {"echo", "well", NULL};
    char text[64];
    int pair[2];
    const int kept[2] = {dup(STDIN_FILENO), dup(STDOUT_FILENO)};
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    const int result = orphan_start(argv, pair[1]);
    const int end = fcntl(pair[0], F_DUPFD, 3);
    (void)close(pair[1]);
    (void)dup2(kept[0], STDIN_FILENO);
    (void)dup2(kept[1], STDOUT_FILENO);
    assert_int_equal(result, 0);
    read_all(end, text, sizeof text);
    assert_string_equal(text, "well\n");
    (void)close(end);
}

static void says_what_is_not_there(void **state) {
    (void)state;
    const char *const missing[] = {"no-program-of-this-name", NULL};
    const char *const folder[] = {"/tmp", NULL};
    const char *const data[] = {"/etc/passwd", NULL};
    (void)close(start(missing, -ENOENT));
    (void)close(start(folder, -EACCES));
    (void)close(start(data, -ENOENT));
    assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_no_child),
        cmocka_unit_test(ends_with_its_input),
        cmocka_unit_test(has_nothing_of_this_process),
        cmocka_unit_test(takes_any_descriptor),
        cmocka_unit_test(says_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
