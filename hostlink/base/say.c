/* SPDX-License-Identifier: MIT */
#include "base/say.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "platform/file.h"
#include "platform/terminal.h"

static bool status_shown;

bool say_has_terminal(void) { return terminal_is(SYS_STDERR); }

/* ECMA-48: carriage return, then EL (erase in line). */
static void clear_status(void) {
    if (status_shown) {
        fputs("\r\033[K", stderr);
        status_shown = false;
    }
}

#define LINE_BYTES 2048u

static struct {
    void (*take)(void *context, const char *line);
    void *context;
} taker;

static const char *about;

void say_about(const char *name) { about = name; }

void say_to(void (*take)(void *context, const char *line), void *context) {
    taker.take = take;
    taker.context = context;
}

void say(const char *format, ...) {
    va_list args;
    if (taker.take != NULL) {
        char line[LINE_BYTES];
        va_start(args, format);
        (void)vsnprintf(line, sizeof line, format, args);
        va_end(args);
        taker.take(taker.context, line);
        return;
    }
    clear_status();
    fputs("hostlink: ", stderr);
    if (about != NULL) {
        fprintf(stderr, "%s: ", about);
    }
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void say_status(const char *line) {
    if (!say_has_terminal()) {
        return;
    }
    clear_status();
    if (*line != '\0') {
        fputs(line, stderr);
        status_shown = true;
    }
    fflush(stderr);
}

static void print_line(FILE *out, const char *text, size_t length) {
    fputs("board: ", out);
    for (size_t i = 0; i < length;) {
        uint32_t character;
        size_t bytes = utf8_next(text + i, length - i, &character);
        if (character == UTF8_REPLACEMENT || (utf8_is_control(character) && character != '\t')) {
            fputc('?', out);
        } else {
            fwrite(text + i, 1, bytes, out);
        }
        i += bytes;
    }
    fputc('\n', out);
}

void say_board(FILE *out, const char *text, size_t length) {
    const char *end;
    clear_status();
    while ((end = memchr(text, '\n', length)) != NULL) {
        const size_t line = (size_t)(end - text);
        print_line(out, text, line);
        text = end + 1;
        length -= line + 1;
    }
    if (length > 0) {
        print_line(out, text, length);
    }
    fflush(out);
}
