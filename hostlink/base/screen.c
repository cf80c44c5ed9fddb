/* SPDX-License-Identifier: MIT */
#include "base/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/utf8.h"

/* ECMA-48 and xterm's private modes: the other screen, no cursor, no wrapping; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[0m\033[2J"
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

#define KEY_BYTES 64u
/* A line with what places it. */
#define LINE_MOST (SCREEN_LINE_BYTES + 32u)

struct line {
    enum screen_style style;
    char text[SCREEN_LINE_BYTES];
};

static struct {
    volatile sig_atomic_t is_open, suspends;
    int in, out;
    struct termios before;
    unsigned columns, rows;
    bool is_changed;
    char keys[KEY_BYTES];
    size_t keys_at, key_count;
} screen = {.in = -1, .out = -1};

static struct line wanted[SCREEN_ROWS], shown[SCREEN_ROWS];

/* ---- the terminal's state ---- */

/* A signal handler may call it, too. */
static void write_all(const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t count = write(screen.out, bytes, length);
        if (count < 0 && errno != EINTR) {
            return;
        }
        bytes += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
}

static void enter(void) {
    struct termios settings = screen.before;
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    settings.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    (void)tcsetattr(screen.in, TCSADRAIN, &settings);
    write_all(ENTER, sizeof ENTER - 1);
    memset(shown, 0, sizeof shown);
    screen.is_changed = true;
}

static void leave(void) {
    write_all(LEAVE, sizeof LEAVE - 1);
    (void)tcsetattr(screen.in, TCSANOW, &screen.before);
}

/* The handler is gone by now (SA_RESETHAND): the signal does what it would have done. */
static void on_fatal(int number) {
    if (screen.is_open) {
        screen.is_open = 0;
        leave();
    }
    (void)raise(number);
}

static void on_suspend(int number) {
    (void)number;
    screen.suspends = 1;
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

static void suspend(void) {
    screen.suspends = 0;
    leave();
    (void)raise(SIGSTOP);
    enter();
}

const char *screen_open(void) {
    const char *term = getenv("TERM");
    if (isatty(STDOUT_FILENO) != 1 || !term || *term == '\0' || strcmp(term, "dumb") == 0) {
        return "standard output is no terminal that takes control sequences; 'hostlink stats' "
               "prints "
               "tables";
    }
    screen.out = STDOUT_FILENO;
    screen.in = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO
                                          : open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (screen.in < 0 || tcgetattr(screen.in, &screen.before) != 0) {
        return "no terminal is there to read keys from";
    }
    catch_signals(true);
    screen.is_open = 1;
    enter();
    return NULL;
}

void screen_close(void) {
    if (screen.is_open) {
        leave();
        screen.is_open = 0;
        catch_signals(false);
        if (screen.in != STDIN_FILENO) {
            (void)close(screen.in);
        }
    }
}

/* ---- keys ---- */

int screen_key_fd(void) { return screen.in; }

/* The byte after those that were taken, -1: none. */
static int next_byte(void) {
    if (screen.keys_at == screen.key_count) {
        const ssize_t count = read(screen.in, screen.keys, sizeof screen.keys);
        screen.keys_at = 0;
        screen.key_count = count > 0 ? (size_t)count : 0;
    }
    return screen.keys_at < screen.key_count ? (unsigned char)screen.keys[screen.keys_at++] : -1;
}

/* After ESC: "[A", "OA" or "[5~". */
static int sequence(void) {
    const int first = next_byte();
    if (first != '[' && first != 'O') {
        return SCREEN_ESCAPE;
    }
    int last = next_byte(), number = 0;
    for (; last >= 0x20 && last < 0x40; last = next_byte()) {
        number = last >= '0' && last <= '9' && number < 100 ? number * 10 + last - '0' : number;
    }
    switch (last) {
    case 'A':
        return SCREEN_UP;
    case 'B':
        return SCREEN_DOWN;
    case '~':
        return number == 5 ? SCREEN_PAGE_UP : number == 6 ? SCREEN_PAGE_DOWN : SCREEN_ESCAPE;
    default:
        return SCREEN_ESCAPE;
    }
}

int screen_key(void) {
    int modes;
    const int byte = next_byte();
    if (byte < 0) {
        return ioctl(screen.in, FIONREAD, &modes) != 0 ? SCREEN_GONE : SCREEN_NO_KEY;
    }
    return byte == 0x1b ? sequence() : byte == '\b' ? SCREEN_BACKSPACE : byte;
}

/* ---- the size ---- */

bool screen_changed(void) {
    struct winsize window;
    unsigned columns = 80, rows = 24;
    if (screen.suspends) {
        suspend();
    }
    if (ioctl(screen.out, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
        columns = window.ws_col;
        rows = window.ws_row < SCREEN_ROWS ? window.ws_row : SCREEN_ROWS;
    }
    const bool changed = screen.is_changed || columns != screen.columns || rows != screen.rows;
    if (changed) {
        screen.columns = columns;
        screen.rows = rows;
        screen.is_changed = false;
        write_all("\033[2J", 4);
        memset(shown, 0, sizeof shown);
    }
    return changed;
}

unsigned screen_columns(void) { return screen.columns; }
unsigned screen_rows(void) { return screen.rows; }

bool screen_takes_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value != '\0') {
            return strstr(value, "UTF-8") || strstr(value, "utf8");
        }
    }
    return false;
}

/* ---- lines ---- */

void screen_line(unsigned row, enum screen_style style, const char *text) {
    if (row >= SCREEN_ROWS) {
        return;
    }
    const size_t length = strlen(text);
    size_t used = 0;
    unsigned columns = 0;
    while (used < length && columns < screen.columns) {
        uint32_t character;
        const size_t bytes = utf8_next(text + used, length - used, &character);
        if (used + bytes >= SCREEN_LINE_BYTES) {
            break;
        }
        used += bytes;
        columns++;
    }
    wanted[row].style = style;
    memcpy(wanted[row].text, text, used);
    wanted[row].text[used] = '\0';
}

static size_t add_line(char *bytes, size_t size, unsigned row) {
    static const char *const styles[] = {
        [SCREEN_PLAIN] = "", [SCREEN_BOLD] = "\033[1m", [SCREEN_REVERSE] = "\033[7m"};
    return (size_t)snprintf(bytes, size, "\033[%u;1H%s%s\033[K\033[0m", row + 1,
                            styles[wanted[row].style], wanted[row].text);
}

/* All at once, so that a slow connection does not show a half of it; the cursor's way home ends it. */
void screen_show(void) {
    static char bytes[SCREEN_ROWS * LINE_MOST + 4];
    size_t used = 0;
    for (unsigned row = 0; row < screen.rows; row++) {
        if (wanted[row].style != shown[row].style ||
            strcmp(wanted[row].text, shown[row].text) != 0) {
            used += add_line(bytes + used, LINE_MOST, row);
            shown[row] = wanted[row];
        }
        wanted[row] = (struct line){0};
    }
    if (used > 0) {
        memcpy(bytes + used, "\033[H", 3);
        write_all(bytes, used + 3);
    }
}
