/* SPDX-License-Identifier: MIT */
#include "cli/child.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "base/stop.h"
#include "platform/file.h"
#include "platform/poll.h"
#include "platform/process.h"
#include "platform/terminal.h"

#define LOOK_EVERY_MS 20
/* An emulator ends itself within this after its board has finished. */
#define OWN_END_NS (NS_PER_S)
#define TERMINATE_NS (2 * NS_PER_S)
#define STATUS_NOT_FOUND 127
#define STATUS_NO_PROGRAM 126

bool child_start(struct child *child, int fd) {
    /* On a terminal it stays in our group, so that it may ask there, and Ctrl-C reaches it. */
    const struct spawn spawn = {.argv = (const char *const *)(uintptr_t)child->argv,
                                .in_out_fd = fd,
                                .group = !terminal_is(SYS_STDIN)};
    const pid_t pid = process_start(&spawn);
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
    if (child->pid == 0) {
        return child->has_run;
    }
    const int status = process_status(child->pid);
    if (status == PROCESS_RUNS) {
        return false;
    }
    child->pid = 0;
    child->ended_ns = host_monotonic_ns();
    child->status = status == PROCESS_UNKNOWN ? child->status : status;
    return true;
}

bool child_wait(struct child *child) {
    while (!child_has_ended(child) && !stop_wanted()) {
        sys_sleep_ms(LOOK_EVERY_MS);
    }
    return child_has_ended(child);
}

static bool ends_within(struct child *child, uint64_t time_ns) {
    const uint64_t start_ns = host_monotonic_ns();
    while (!child_has_ended(child)) {
        if (host_monotonic_ns() - start_ns >= time_ns) {
            return false;
        }
        sys_sleep_ms(LOOK_EVERY_MS);
    }
    return true;
}

/* Ends it, and its children if it has a process group of its own. */
static void end_all(const struct child *child, bool at_once) {
    if (child->group > 0) {
        process_end(child->group, true, at_once);
    } else if (child->pid > 0) {
        process_end(child->pid, false, at_once);
    }
}

void child_end(struct child *child, bool stopped) {
    if (!child->has_run) {
        return;
    }
    if (child_has_ended(child) || (!stopped && ends_within(child, OWN_END_NS))) {
        end_all(child, false); /* processes that it has left running */
        return;
    }
    say("%s: still runs, and is ended", child->argv[0]);
    end_all(child, false);
    if (!ends_within(child, TERMINATE_NS)) {
        end_all(child, true);
        while (!child_has_ended(child)) {
            sys_sleep_ms(LOOK_EVERY_MS);
        }
    }
    child->status = 0;
}
