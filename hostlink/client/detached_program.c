/* SPDX-License-Identifier: MIT */
#include "client/detached_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 16384u
#define DESCRIPTORS_MAX 65536
#define LIFE 3 /* the program has "life" as this descriptor, and does not know of it */

/* ThreadSanitizer replaces clone(), and its replacement hangs where the child shares the memory. */
#ifdef __SANITIZE_THREAD__
#define MAY_CLONE false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MAY_CLONE false
#endif
#endif
#ifndef MAY_CLONE
#define MAY_CLONE true
#endif

struct start {
    char path[PATH_MAX];
    char path_variable[PATH_MAX + 8u];
    char *environment[2];
    char *const *argv;
    int fd, life;
    int error;
    char parent_stack[STACK_BYTES] __attribute__((aligned(16)));
    char stack[STACK_BYTES] __attribute__((aligned(16)));
};

/* ---- in the new processes, which share the memory of this one: nothing is allocated, no lock is taken ---- */

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) {
        return;
    }
#endif
    const long most = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (most > 0 && most < DESCRIPTORS_MAX ? most : DESCRIPTORS_MAX); fd++) {
        (void)close(fd);
    }
}

/* The thread that began this blocks all signals, and handlers are not kept by the new program; but one that is sent now
 * must not run a handler of this program. */
static void forget_signals(void) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A socket that hangs up sends the signal that was chosen; nothing ever comes by this one. */
static bool die_with(int life) {
    return fcntl(life, F_SETOWN, -getpid()) == 0 && fcntl(life, F_SETSIG, SIGKILL) == 0 &&
           fcntl(life, F_SETFL, O_ASYNC) == 0;
}

static int become_program(void *context) {
    struct start *start = context;
    const struct rlimit limit = {.rlim_cur = DETACHED_CPU_S, .rlim_max = DETACHED_CPU_S};
    const int fd = fcntl(start->fd, F_DUPFD, 3), life = fcntl(start->life, F_DUPFD, LIFE);
    const int nothing = open("/dev/null", O_WRONLY);
    if (fd >= 0 && dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0 &&
        dup2(nothing, STDERR_FILENO) >= 0 && dup2(life, LIFE) >= 0 && setsid() >= 0 &&
        die_with(LIFE)) {
        (void)setrlimit(RLIMIT_CPU, &limit);
        close_from(LIFE + 1);
        forget_signals();
        (void)execve(start->path, start->argv, start->environment);
    }
    start->error = errno;
    _exit(127);
}

static int in_between(void *context) {
    struct start *start = context;
    const pid_t pid =
        clone(become_program, start->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    if (pid < 0) {
        start->error = errno;
    } else if (start->error != 0) {
        (void)waitpid(pid, NULL, 0);
    }
    return 0;
}

/* ---- here ---- */

static bool find_in_path(struct start *start, const char *name) {
    const char *folders = getenv("PATH");
    if (strchr(name, '/') != NULL) {
        (void)snprintf(start->path, sizeof start->path, "%s", name);
        return access(start->path, X_OK) == 0;
    }
    folders = folders != NULL ? folders : "/usr/bin:/bin";
    while (*folders != '\0') {
        const size_t length = strcspn(folders, ":");
        const int count =
            snprintf(start->path, sizeof start->path, "%.*s/%s", (int)length, folders, name);
        if (length != 0 && count > 0 && (size_t)count < sizeof start->path &&
            access(start->path, X_OK) == 0) {
            return true;
        }
        folders += length;
        folders += *folders == ':' ? 1 : 0;
    }
    return false;
}

/* The process in between has no signal for its end, and is waited for as no other child is; what it starts has no
 * parent when it has ended. */
static int run_both(struct start *start) {
    const pid_t pid =
        clone(in_between, start->parent_stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, start);
    if (pid < 0) {
        return -errno;
    }
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR) {}
    return -start->error;
}

pid_t detached_program_start(const char *const *argv, int fd, int life) {
    const char *folders = getenv("PATH");
    struct start *start = MAY_CLONE ? malloc(sizeof *start) : NULL;
    if (start == NULL) {
        return -ENOMEM;
    }
    start->argv = (char *const *)(uintptr_t)argv;
    start->fd = fd;
    start->life = life;
    start->error = 0;
    (void)snprintf(start->path_variable, sizeof start->path_variable, "PATH=%s",
                   folders != NULL ? folders : "/usr/bin:/bin");
    start->environment[0] = start->path_variable;
    start->environment[1] = NULL;
    const int result = find_in_path(start, argv[0]) ? run_both(start) : -ENOENT;
    free(start);
    return result;
}
