/* SPDX-License-Identifier: MIT */
#include "symbol/addr2line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Most lines of one answer and the rest of the one before: a working tool does not write more. */
#define LINES_MAX 8192u

/* An address that comes back, alone on its line: names of functions do not begin with a digit, and a colon follows
 * the name of a file. */
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

/* They write "??" for an unknown name. */
static const char *keep_name(char *to, const char *text, size_t length) {
    const bool unknown = length == 2 && memcmp(text, "??", 2) == 0;
    return keep(to, text, unknown ? 0 : length);
}

/* "FILE:LINE", "FILE:?", or "FILE:LINE (discriminator N)". */
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

/* One more line. The rest of the previous answer precedes this one. */
static enum addr2line_state take(struct addr2line_answer *answer, const char *line) {
    const uint32_t at = answer->count < CODE_LINES_MAX ? answer->count : CODE_LINES_MAX - 1;
    struct code_line *to = &answer->lines[at];
    uint64_t address = 0;
    const bool is_end = is_address(line, &address);
    switch (answer->next) {
    case ADDR2LINE_ADDRESS:
        answer->next =
            is_end && address == answer->address ? ADDR2LINE_FUNCTION : ADDR2LINE_ADDRESS;
        return ADDR2LINE_COMES;
    case ADDR2LINE_FUNCTION:
        if (is_end) {
            return ADDR2LINE_IS_THERE;
        }
        to->function = keep_name(answer->text[2 * at], line, strlen(line));
        answer->next = ADDR2LINE_PLACE;
        return ADDR2LINE_COMES;
    case ADDR2LINE_PLACE:
    default:
        if (is_end) {
            return ADDR2LINE_FAILS;
        }
        take_place(to, answer->text[2 * at + 1], line);
        answer->count = at + 1;
        answer->next = ADDR2LINE_FUNCTION;
        return ADDR2LINE_COMES;
    }
}

/* Another address follows each one: when it comes back, the answer to the first is complete. */
bool addr2line_begin(struct tool *tool, uint64_t address, struct addr2line_answer *answer) {
    char question[64];
    (void)snprintf(question, sizeof question, "0x%" PRIx64 "\n0x%x\n", address,
                   address == 0 ? 1u : 0u);
    answer->count = answer->taken = 0;
    answer->address = address;
    answer->next = ADDR2LINE_ADDRESS;
    return tool_ask(tool, question);
}

enum addr2line_state addr2line_go_on(struct tool *tool, struct addr2line_answer *answer) {
    enum addr2line_state state = ADDR2LINE_COMES;
    const char *line;
    while (state == ADDR2LINE_COMES && (line = tool_line_now(tool)) != NULL) {
        state = answer->taken++ < LINES_MAX ? take(answer, line) : ADDR2LINE_FAILS;
    }
    if (state == ADDR2LINE_FAILS) {
        tool_distrust(tool);
    }
    if (state == ADDR2LINE_IS_THERE && answer->count == 1 && answer->lines[0].function[0] == '\0' &&
        answer->lines[0].file[0] == '\0') {
        answer->count = 0;
    }
    return state == ADDR2LINE_COMES && tool->state != TOOL_WELL ? ADDR2LINE_FAILS : state;
}

bool addr2line_ask(struct tool *tool, uint64_t address, struct addr2line_answer *answer) {
    enum addr2line_state state =
        addr2line_begin(tool, address, answer) ? ADDR2LINE_COMES : ADDR2LINE_FAILS;
    while (state == ADDR2LINE_COMES) {
        state = addr2line_go_on(tool, answer);
        if (state == ADDR2LINE_COMES) {
            tool_await(tool);
        }
    }
    return state == ADDR2LINE_IS_THERE;
}
