/* SPDX-License-Identifier: MIT */
#include "base/screen.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "platform/file.h"
#include "platform/terminal.h"

/* ECMA-48 and xterm's private modes: the other screen, no cursor, no wrapping; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[0m\033[2J"
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

#define KEY_BYTES 64u
/* A line with the sequences that place it. */
#define LINE_MOST (SCREEN_LINE_BYTES + 32u)

struct line {
    enum screen_style style;
    char text[SCREEN_LINE_BYTES];
};

static struct {
    bool is_open;
    int in;
    unsigned columns, rows;
    bool is_changed;
    char keys[KEY_BYTES];
    size_t keys_at, key_count;
    bool is_gone;
} screen = {.in = -1};

static struct line wanted[SCREEN_ROWS], shown[SCREEN_ROWS];

/* ---- the terminal's state ---- */

/* A signal handler may call it, too. */
static void write_all(const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t count = sys_write(SYS_STDOUT, bytes, length);
        if (count < 0) {
            return;
        }
        bytes += count;
        length -= (size_t)count;
    }
}

static void enter(void) {
    write_all(ENTER, sizeof ENTER - 1);
    memset(shown, 0, sizeof shown);
    screen.is_changed = true;
}

static void leave(void) { write_all(LEAVE, sizeof LEAVE - 1); }

const char *screen_open(void) {
    if (!terminal_takes_sequences(SYS_STDOUT)) {
        return "standard output is no terminal that takes control sequences; 'hostlink stats' "
               "prints "
               "tables";
    }
    screen.in = terminal_take_keys(leave);
    if (screen.in < 0) {
        return "no terminal is there to read keys from";
    }
    screen.is_open = true;
    enter();
    return NULL;
}

void screen_close(void) {
    if (screen.is_open) {
        leave();
        terminal_release_keys();
        screen.is_open = false;
    }
}

/* ---- keys ---- */

int screen_key_fd(void) { return screen.in; }

/* The next byte of the keys, -1: no byte. */
static int next_byte(void) {
    if (screen.keys_at == screen.key_count) {
        const ssize_t count = terminal_read_keys(screen.keys, sizeof screen.keys);
        screen.keys_at = 0;
        screen.key_count = count > 0 ? (size_t)count : 0;
        screen.is_gone = count < 0;
    }
    return screen.keys_at < screen.key_count ? (unsigned char)screen.keys[screen.keys_at++] : -1;
}

/* Reads the rest of a sequence after ESC: "[A", "OA" or "[5~". */
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
    const int byte = next_byte();
    if (byte < 0) {
        return screen.is_gone ? SCREEN_GONE : SCREEN_NO_KEY;
    }
    return byte == 0x1b ? sequence() : byte == '\b' ? SCREEN_BACKSPACE : byte;
}

/* ---- the size ---- */

bool screen_changed(void) {
    unsigned columns = 80, rows = 24;
    if (terminal_wants_suspend()) {
        leave();
        terminal_suspend();
        enter();
    }
    if (terminal_size(SYS_STDOUT, &columns, &rows)) {
        rows = rows == 0 ? 24 : rows < SCREEN_ROWS ? rows : SCREEN_ROWS;
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

bool screen_takes_utf8(void) { return terminal_takes_utf8(); }

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
