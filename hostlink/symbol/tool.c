/* SPDX-License-Identifier: MIT */
#include "symbol/tool.h"

#include <errno.h>
#include <string.h>

#include "base/host_clock.h"
#include "platform/file.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "platform/process.h"

/* Pause between two calls of the caller's work while an answer is awaited. */
#define MEANWHILE_MS 1
/* Most bytes of one line: a working tool does not write more. */
#define CUT_MOST 65536u

/* 0: not a socket. */
static uint64_t socket_of(int fd) {
    struct sys_status status;
    return sys_status(fd, &status) == 0 && status.type == SYS_SOCKET ? status.node : 0;
}

/* The other end, or -1. */
static int open_pair(struct tool_socket *ours) {
    int pair[2];
    if (sys_socket_pair(pair) != 0) {
        return -1;
    }
    *ours = (struct tool_socket){.fd = pair[0], .inode = socket_of(pair[0])};
    return pair[1];
}

/* A program may have closed it, and opened something else by this number. */
static bool is_ours(const struct tool_socket *socket) {
    return socket->inode != 0 && socket_of(socket->fd) == socket->inode;
}

static void close_ours(struct tool_socket *socket) {
    if (is_ours(socket)) {
        (void)sys_close(socket->fd);
    }
    *socket = (struct tool_socket){.fd = -1};
}

static void close_theirs(int fd) {
    if (fd >= 0) {
        (void)sys_close(fd);
    }
}

bool tool_start(struct tool *tool, const struct tool_host *host, const char *const *argv,
                uint64_t limit_ns) {
    *tool = (struct tool){.host = host, .state = TOOL_NOT_STARTED, .limit_ns = limit_ns};
    const int talk = open_pair(&tool->talk), life = open_pair(&tool->life);
    const pid_t pid = talk >= 0 && life >= 0 ? host->start(argv, talk, life) : -EMFILE;
    tool->pid = pid > 0 ? pid : 0;
    close_theirs(talk);
    close_theirs(life);
    if (pid < 0) {
        tool_end(tool);
        return false;
    }
    tool->state = TOOL_WELL;
    return true;
}

static bool is_late(struct tool *tool, uint64_t now_ns) {
    if (now_ns >= tool->deadline_ns && tool->state == TOOL_WELL) {
        tool->state = TOOL_LATE;
    }
    return tool->state == TOOL_LATE;
}

/* Waits until there is something to do, or the time is over. */
static void await(struct tool *tool, short what) {
    struct sys_poll fd = {.fd = tool->talk.fd, .events = what};
    const uint64_t now_ns = host_monotonic_ns();
    if (is_late(tool, now_ns)) {
        return;
    }
    const bool waits = tool->host->meanwhile == NULL;
    (void)sys_poll(&fd, 1,
                   waits ? (int)((tool->deadline_ns - now_ns) / NS_PER_MS) + 1 : MEANWHILE_MS);
    if (!waits) {
        tool->host->meanwhile(tool->host->context);
    }
}

void tool_await(struct tool *tool) { await(tool, SYS_POLL_IN); }

bool tool_ask(struct tool *tool, const char *text) {
    size_t left = strlen(text);
    if (tool->state == TOOL_WELL && !is_ours(&tool->talk)) {
        tool->state = TOOL_ENDED;
    }
    tool->deadline_ns = host_monotonic_ns() + tool->limit_ns;
    while (tool->state == TOOL_WELL && left > 0) {
        const ssize_t count = sys_send(tool->talk.fd, text, left);
        if (count > 0) {
            text += count;
            left -= (size_t)count;
        } else if (errno == EAGAIN) {
            await(tool, SYS_POLL_OUT);
        } else if (errno != EINTR) {
            tool->state = TOOL_ENDED;
        }
    }
    return tool->state == TOOL_WELL;
}

/* Keeps begin and end of a line that does not fit: names of C++ templates are long, and a number follows the name of
 * a file. */
static void cut(struct tool *tool) {
    tool->used = sizeof tool->buffer / 2;
    tool->cut += sizeof tool->buffer / 2;
    if (tool->cut > CUT_MOST) {
        tool->state = TOOL_BABBLES;
    }
}

/* Reads more bytes into the buffer. False: no bytes yet. The program may also close the socket between question and
 * answer; the number may then be another file of its own. */
static bool receive(struct tool *tool) {
    memmove(tool->buffer, tool->buffer + tool->at, tool->used - tool->at);
    tool->used -= tool->at;
    tool->at = 0;
    if (tool->used == sizeof tool->buffer) {
        cut(tool);
        return true;
    }
    const ssize_t count = is_ours(&tool->talk)
                              ? sys_receive(tool->talk.fd, tool->buffer + tool->used,
                                            sizeof tool->buffer - tool->used)
                              : 0;
    if (count > 0) {
        tool->used += (size_t)count;
    } else if (count < 0 && errno == EAGAIN) {
        return false;
    } else if (count == 0 || errno != EINTR) {
        tool->state = TOOL_ENDED;
    }
    return true;
}

char *tool_line_now(struct tool *tool) {
    while (tool->state == TOOL_WELL) {
        char *line = tool->buffer + tool->at;
        char *end = memchr(line, '\n', tool->used - tool->at);
        if (end != NULL) {
            *end = '\0';
            tool->at = (size_t)(end - tool->buffer) + 1;
            tool->cut = 0;
            return line;
        }
        if (!receive(tool)) {
            (void)is_late(tool, host_monotonic_ns());
            return NULL;
        }
    }
    return NULL;
}

char *tool_line(struct tool *tool) {
    char *line = tool_line_now(tool);
    while (line == NULL && tool->state == TOOL_WELL) {
        tool_await(tool);
        line = tool_line_now(tool);
    }
    return line;
}

void tool_distrust(struct tool *tool) {
    tool->state = tool->state == TOOL_WELL ? TOOL_BABBLES : tool->state;
}

const char *tool_state_text(enum tool_state state) {
    switch (state) {
    case TOOL_LATE:
        return "does not answer in time";
    case TOOL_ENDED:
        return "has ended";
    case TOOL_BABBLES:
        return "gives invalid answers";
    case TOOL_NOT_STARTED:
        return "cannot be started";
    case TOOL_WELL:
    default:
        return "answers";
    }
}

void tool_end(struct tool *tool) {
    close_ours(&tool->talk);
    close_ours(&tool->life);
    if (tool->pid > 0) {
        process_kill(tool->pid);
    }
    tool->pid = 0;
}
