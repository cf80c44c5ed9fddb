/* SPDX-License-Identifier: MIT */
#include "cli/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "base/spawn.h"
#include "base/stop.h"

#define LOOK_EVERY_MS 20
/* An emulator ends itself within this after its board has finished. */
#define OWN_END_NS (NS_PER_S)
#define TERMINATE_NS (2 * NS_PER_S)
#define STATUS_NOT_FOUND 127
#define STATUS_NO_PROGRAM 126
#define STATUS_SIGNAL 128

bool child_start(struct child *child, int fd) {
    /* On a terminal it stays in our group, so that it may ask there, and Ctrl-C reaches it. */
    const struct spawn spawn = {.argv = (const char *const *)(uintptr_t)child->argv,
                                .in_out_fd = fd,
                                .group = !isatty(STDIN_FILENO)};
    const pid_t pid = spawn_start(&spawn);
    if (pid < 0) {
        say("%s: cannot be started: %s", child->argv[0], strerror(-(int)pid));
        child->status = pid == -ENOENT ? STATUS_NOT_FOUND : STATUS_NO_PROGRAM;
        return false;
    }
    child->pid = pid;
    child->group = spawn.group ? pid : 0;
    child->has_run = true;
    return true;
}

bool child_has_ended(struct child *child) {
    int status;
    if (child->pid == 0) {
        return child->has_run;
    }
    const pid_t pid = waitpid(child->pid, &status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR)) {
        return false;
    }
    child->pid = 0;
    child->ended_ns = host_monotonic_ns();
    if (pid > 0) {
        child->status =
            WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return true;
}

bool child_wait(struct child *child) {
    while (!child_has_ended(child) && !stop_wanted()) {
        (void)poll(NULL, 0, LOOK_EVERY_MS);
    }
    return child_has_ended(child);
}

static bool ends_within(struct child *child, uint64_t time_ns) {
    const uint64_t start_ns = host_monotonic_ns();
    while (!child_has_ended(child)) {
        if (host_monotonic_ns() - start_ns >= time_ns) {
            return false;
        }
        (void)poll(NULL, 0, LOOK_EVERY_MS);
    }
    return true;
}

/* With what it has started, where it is a group of its own. */
static void end_all(const struct child *child, int number) {
    if (child->group > 0) {
        (void)kill(-child->group, number);
    } else if (child->pid > 0) {
        (void)kill(child->pid, number);
    }
}

void child_end(struct child *child, bool stopped) {
    if (!child->has_run) {
        return;
    }
    if (child_has_ended(child) || (!stopped && ends_within(child, OWN_END_NS))) {
        end_all(child, SIGTERM); /* what it left behind */
        return;
    }
    say("%s: still runs, and is ended", child->argv[0]);
    end_all(child, SIGTERM);
    if (!ends_within(child, TERMINATE_NS)) {
        end_all(child, SIGKILL);
        while (!child_has_ended(child)) {
            (void)poll(NULL, 0, LOOK_EVERY_MS);
        }
    }
    child->status = 0;
}
