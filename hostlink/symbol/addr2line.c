#include "symbol/addr2line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Of one answer, with the rest of the one before: more says no tool that is sound. */
#define LINES_MAX 4096u

/* An address that comes back, alone on its line: names of functions do not begin with a digit, and a file has a
 * colon behind it. */
static bool is_address(const char *line, uint64_t *address) {
    char *end;
    if (line[0] != '0' || line[1] != 'x' || strlen(line) > 18) {
        return false;
    }
    errno = 0;
    *address = strtoull(line + 2, &end, 16);
    return errno == 0 && end != line + 2 && *end == '\0';
}

static const char *keep(char *to, const char *text, size_t length) {
    utf8_clean(to, CODE_TEXT_BYTES_MAX, text, length);
    return to;
}

/* "??" is what they say of a name that they do not know. */
static const char *keep_name(char *to, const char *text, size_t length) {
    const bool unknown = length == 2 && memcmp(text, "??", 2) == 0;
    return keep(to, text, unknown ? 0 : length);
}

/* "FILE:LINE", "FILE:?", or the first with " (discriminator N)" behind it. */
static void take_place(struct code_line *line, char *to, const char *text) {
    const char *colon = strrchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    line->file = keep_name(to, text, length);
    line->line = 0;
    if (colon != NULL && colon[1] >= '0' && colon[1] <= '9') {
        const unsigned long long number = strtoull(colon + 1, NULL, 10);
        line->line = number <= UINT32_MAX ? (uint32_t)number : 0;
    }
}

/* Skips what is left of the answer before. */
static bool find_start(struct tool *tool, uint64_t address) {
    uint64_t other = 0;
    for (uint32_t i = 0; i < LINES_MAX; i++) {
        const char *line = tool_line(tool);
        if (line == NULL) {
            return false;
        }
        if (is_address(line, &other) && other == address) {
            return true;
        }
    }
    tool_distrust(tool);
    return false;
}

/* The pairs of lines up to the next address. */
static bool take_lines(struct tool *tool, struct addr2line_answer *answer) {
    uint64_t next = 0;
    answer->count = 0;
    for (uint32_t i = 0; i < LINES_MAX; i++) {
        const uint32_t at = answer->count < CODE_LINES_MAX ? answer->count : CODE_LINES_MAX - 1;
        struct code_line *to = &answer->lines[at];
        const char *line = tool_line(tool);
        if (line == NULL) {
            return false;
        }
        if (is_address(line, &next)) {
            return true;
        }
        to->function = keep_name(answer->text[2 * at], line, strlen(line));
        line = tool_line(tool);
        if (line == NULL || is_address(line, &next)) {
            break;
        }
        take_place(to, answer->text[2 * at + 1], line);
        answer->count = at + 1;
    }
    tool_distrust(tool);
    return false;
}

/* Behind each address goes another one: where that comes back the answer to the first has ended. */
bool addr2line_ask(struct tool *tool, uint64_t address, struct addr2line_answer *answer) {
    char question[64];
    (void)snprintf(question, sizeof question, "0x%" PRIx64 "\n0x%x\n", address,
                   address == 0 ? 1u : 0u);
    if (!tool_ask(tool, question) || !find_start(tool, address) || !take_lines(tool, answer)) {
        return false;
    }
    if (answer->count == 1 && answer->lines[0].function[0] == '\0' &&
        answer->lines[0].file[0] == '\0') {
        answer->count = 0;
    }
    return true;
}
