/* SPDX-License-Identifier: MIT */
/* The user's addr2line or llvm-symbolizer, kept running as one process: questions go in and answers come out by a
 * pair of sockets. A question takes a bounded time, whatever the program does. */
#ifndef HOSTLINK_TOOL_H
#define HOSTLINK_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TOOL_LINE_BYTES 4096u

enum tool_state { TOOL_WELL, TOOL_LATE, TOOL_ENDED, TOOL_BABBLES, TOOL_NOT_STARTED };

/* Runs the program. */
struct tool_host {
    /* Starts argv[0], which is looked for in PATH, with "fd" as its standard input and output. Its process, which
     * tool_end() ends and waits for; 0: it is killed when "life" hangs up, as at the end of this process; or -errno. */
    pid_t (*start)(const char *const *argv, int fd, int life);
    /* Called again and again while an answer is awaited; may be NULL. */
    void (*meanwhile)(void *context);
    void *context;
};

/* A child of this process. */
extern const struct tool_host tool_child;

/* A socket of this process, unless another part of the program has closed it: a program may close unknown
 * descriptors. */
struct tool_socket {
    int fd;
    uint64_t inode; /* 0 = none */
};

struct tool {
    const struct tool_host *host;
    pid_t pid; /* 0 = none that is to be ended */
    struct tool_socket talk, life;
    enum tool_state state;
    uint64_t limit_ns;    /* for each question */
    uint64_t deadline_ns; /* of the current question */
    size_t used, at;      /* bytes in the buffer; of them those that are read */
    size_t cut;           /* bytes that were left out of the line that is received */
    char buffer[TOOL_LINE_BYTES];
};

/* False: it cannot be started; nothing needs closing. */
bool tool_start(struct tool *tool, const struct tool_host *host, const char *const *argv,
                uint64_t limit_ns);
/* Begins a question. False: the tool is not well. */
bool tool_ask(struct tool *tool, const char *text);
/* The next line of its answer, without the newline and ended by NUL, a long one without its middle; NULL: the tool is
 * not well any more. */
char *tool_line(struct tool *tool);
/* The same without waiting: also NULL while it is well, and the line has not come. */
char *tool_line_now(struct tool *tool);
/* Waits until more of the answer comes or the time is over; where the host does something meanwhile, once. */
void tool_await(struct tool *tool);
/* The caller found its answer invalid. */
void tool_distrust(struct tool *tool);
/* "does not answer", for a message. */
const char *tool_state_text(enum tool_state state);
/* Ends it, even if it hangs, and all processes that it has started. */
void tool_end(struct tool *tool);

#endif
