/* SPDX-License-Identifier: MIT */
#include "sink/csv_field.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t length) {
    bool needed = false;
    for (size_t i = 0; i < length && !needed; i++) {
        needed = text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
    }
    return needed;
}

/* "-5", "+1e9": a spreadsheet shows it as it is. */
static bool is_number(const char *text, size_t length) {
    char copy[64], *end = copy;
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    (void)strtod(copy, &end);
    return end == copy + length;
}

/* A spreadsheet would run such a text from the board as a formula. */
static bool is_formula(const char *text, size_t length) {
    return length != 0 && text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL &&
           !is_number(text, length);
}

void csv_field(struct outfile *out, const char *text, size_t length) {
    const size_t mark = is_formula(text, length) ? 1 : 0;
    if (!needs_quotes(text, length)) {
        outfile_write(out, "'", mark);
        outfile_write(out, text, length);
        return;
    }
    outfile_write(out, "\"'", 1 + mark);
    for (size_t i = 0; i < length; i++) {
        outfile_write(out, "\"\"", text[i] == '"' ? 2 : 0);
        outfile_write(out, text + i, text[i] == '"' ? 0 : 1);
    }
    outfile_write(out, "\"", 1);
}

void csv_print(FILE *out, const char *text) {
    fputs(is_formula(text, strlen(text)) ? "\"'" : "\"", out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, out);
    }
    fputc('"', out);
}
