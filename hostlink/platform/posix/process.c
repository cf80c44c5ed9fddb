/* SPDX-License-Identifier: MIT */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/sockets.h"

static bool redirect(const struct spawn *spawn) {
    const int fd = spawn->in_out_fd;
    if (spawn->apart || spawn->group) {
        (void)setpgid(0, 0);
    }
    if (spawn->apart) {
        const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (dup2(nothing, STDERR_FILENO) < 0) {
            return false;
        }
    }
    return fd < 0 || (dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
}

/* The child. Signals that this program ignores have their defaults again. */
static void run(const struct spawn *spawn, int report) {
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    if (redirect(spawn)) {
        (void)execvp(spawn->argv[0], (char *const *)(uintptr_t)spawn->argv);
    }
    const int error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

/* The pipe ends without a byte when the program has begun: 0, else the child's errno. */
static int what_failed(int report) {
    int error = 0;
    ssize_t count;
    do {
        count = read(report, &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    return count == 0 ? 0 : count == (ssize_t)sizeof error ? error : EIO;
}

pid_t process_start(const struct spawn *spawn) {
    int report[2];
    if (posix_pipe(report) != 0) {
        return -errno;
    }
    const pid_t pid = fork();
    int error = pid < 0 ? errno : 0;
    if (pid == 0) {
        run(spawn, report[1]);
    }
    (void)close(report[1]);
    if (pid > 0) {
        error = what_failed(report[0]);
    }
    (void)close(report[0]);
    if (pid > 0 && error != 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
    }
    return error != 0 ? -error : pid;
}

int process_status(pid_t pid) {
    int status;
    const pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
        return PROCESS_RUNS;
    }
    return got < 0               ? PROCESS_UNKNOWN
           : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                 : WEXITSTATUS(status);
}

void process_end(pid_t pid, bool group, bool at_once) {
    (void)kill(group ? -pid : pid, at_once ? SIGKILL : SIGTERM);
}

void process_kill(pid_t pid) {
    (void)kill(-pid, SIGKILL); /* a script has programs of its own, if it leads a group */
    (void)kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
}
