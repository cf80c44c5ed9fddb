/* SPDX-License-Identifier: MIT */
#include "platform/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct {
    volatile sig_atomic_t is_taken, suspends;
    int in;
    struct termios before;
    void (*leave)(void);
} terminal = {.in = -1};

bool terminal_is(int fd) { return isatty(fd) == 1; }

bool terminal_takes_sequences(int fd) {
    const char *term = getenv("TERM");
    return isatty(fd) == 1 && term && *term != '\0' && strcmp(term, "dumb") != 0;
}

bool terminal_size(int fd, unsigned *columns, unsigned *rows) {
    struct winsize window;
    if (ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) {
        return false;
    }
    *columns = window.ws_col;
    *rows = window.ws_row;
    return true;
}

bool terminal_takes_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value != '\0') {
            return strstr(value, "UTF-8") || strstr(value, "utf8");
        }
    }
    return false;
}

/* ---- keys ---- */

static void set_keys(void) {
    struct termios settings = terminal.before;
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    settings.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    (void)tcsetattr(terminal.in, TCSADRAIN, &settings);
}

static void restore(void) { (void)tcsetattr(terminal.in, TCSANOW, &terminal.before); }

/* The handler is gone by now (SA_RESETHAND): the signal does what it would have done. */
static void on_fatal(int number) {
    if (terminal.is_taken) {
        terminal.is_taken = 0;
        terminal.leave();
        restore();
    }
    (void)raise(number);
}

static void on_suspend(int number) {
    (void)number;
    terminal.suspends = 1;
}

static void catch_signals(bool now) {
    static const int fatal[] = {SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGSYS};
    struct sigaction action = {.sa_handler = now ? on_fatal : SIG_DFL,
                               .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        (void)sigaction(fatal[i], &action, NULL);
    }
    action = (struct sigaction){.sa_handler = now ? on_suspend : SIG_DFL};
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTSTP, &action, NULL);
}

int terminal_take_keys(void (*leave)(void)) {
    terminal.in = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO
                                            : open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (terminal.in < 0 || tcgetattr(terminal.in, &terminal.before) != 0) {
        return -1;
    }
    terminal.leave = leave;
    catch_signals(true);
    terminal.is_taken = 1;
    set_keys();
    return terminal.in;
}

void terminal_release_keys(void) {
    restore();
    terminal.is_taken = 0;
    catch_signals(false);
    if (terminal.in != STDIN_FILENO) {
        (void)close(terminal.in);
    }
}

ssize_t terminal_read_keys(char *bytes, size_t size) {
    int waiting;
    const ssize_t count = read(terminal.in, bytes, size);
    return count > 0 ? count : ioctl(terminal.in, FIONREAD, &waiting) != 0 ? -1 : 0;
}

bool terminal_wants_suspend(void) { return terminal.suspends != 0; }

void terminal_suspend(void) {
    terminal.suspends = 0;
    restore();
    (void)raise(SIGSTOP);
    set_keys();
}
