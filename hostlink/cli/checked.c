/* SPDX-License-Identifier: MIT */
#include "cli/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/say.h"
#include "base/utf8.h"

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static int add(struct checked *checked, struct checked_one one) {
    if (!grow(&checked->list, &checked->capacity, checked->count, sizeof *checked->list)) {
        return -ENOMEM;
    }
    checked->list[checked->count++] = one;
    checked->exceeded += one.exceeded ? 1 : 0;
    return 0;
}

/* NaN is not within any limit. */
int checked_add(struct checked *checked, const struct budget_limit *limit,
                const struct measure *row, double measured) {
    const bool least = limit->word->value == BUDGET_LEAST;
    return add(checked, (struct checked_one){.limit = limit,
                                             .row = row,
                                             .measured = measured,
                                             .exceeded = !(least ? measured >= limit->limit
                                                                 : measured <= limit->limit)});
}

int checked_add_missing(struct checked *checked, const struct budget_limit *limit) {
    return add(checked, (struct checked_one){.limit = limit, .missing = true, .exceeded = true});
}

void checked_free(struct checked *checked) {
    free(checked->list);
    *checked = (struct checked){0};
}

static const char *verdict(const struct checked_one *one) {
    return one->missing ? "missing" : one->exceeded ? "over" : "ok";
}

const char *checked_name(const struct checked_one *one) {
    return one->row ? one->row->name : one->limit->name ? one->limit->name : "";
}

/* ---- the table ---- */

static const char *unit_of(enum budget_unit unit) {
    static const char *const names[] = {
        [BUDGET_TIME] = "ns", [BUDGET_PERCENT] = "%", [BUDGET_COUNT] = "", [BUDGET_VALUE] = ""};
    return names[unit];
}

static void put_text_of(struct table *t, const struct checked_one *one, double value) {
    char text[BUDGET_TEXT_BYTES];
    table_text(t, one->missing ? "-" : budget_text(text, one->limit->word->unit, value));
}

static void put_one(struct table *t, const struct checked_one *one) {
    const struct budget_word *word = one->limit->word;
    char limit[BUDGET_TEXT_BYTES];
    table_row(t, TABLE_ALL);
    table_text(t, verdict(one));
    table_text(t, word->kind);
    table_text(t, checked_name(one));
    table_text(t, word->word);
    put_text_of(t, one, one->measured);
    table_text(t, budget_text(limit, word->unit, one->limit->limit));
    if (one->missing) {
        table_nothing(t);
    } else {
        table_real(t, one->measured);
    }
    table_real(t, one->limit->limit);
    table_text(t, unit_of(word->unit));
    if (one->row) {
        table_integer(t, one->row->most_at_ns);
        table_text(t, one->row->most_on ? one->row->most_on->name : "");
    } else {
        table_nothing(t);
        table_text(t, "");
    }
    table_number(t, one->limit->line);
}

int checked_table(const struct checked *checked, struct table_to *to) {
    static const struct table_column columns[] = {
        {"result", "result", TABLE_NAME, 0, 0, 0},
        {"kind", "kind", TABLE_NAME, 0, 0, 0},
        {"name", "name", TABLE_NAME, 0, 32, 0},
        {"limit_of", "limit", TABLE_NAME, 0, 0, 0},
        {NULL, "measured", TABLE_NAME, 0, 0, 0},
        {NULL, "at most", TABLE_NAME, 0, 0, 0},
        {"measured", NULL, TABLE_VALUE, 0, 0, 0},
        {"limit", NULL, TABLE_VALUE, 0, 0, 0},
        {"unit", NULL, TABLE_NAME, 0, 0, 0},
        {"worst_at_ns", "worst began at", TABLE_AT, 0, 0, 0},
        {"worst_on", "on", TABLE_NAME, 0, 32, 0},
        {"line", "line", TABLE_COUNT, 0, 0, 0},
    };
    struct table t;
    table_document(to);
    table_begin(&t, to, "limits", NULL, 0);
    table_columns(&t, columns, COUNT_OF(columns));
    for (size_t i = 0; i < checked->count; i++) {
        put_one(&t, &checked->list[i]);
    }
    const int64_t shown = table_end(&t);
    table_document_end(to);
    if (to->form == TABLE_TEXT) {
        fprintf(to->text, "limits: %u checked %u exceeded\n", checked->count, checked->exceeded);
    }
    return shown < 0 ? (int)shown : 0;
}

/* ---- for CI ---- */

void checked_sentence(const struct checked_one *one, char text[CHECKED_SENTENCE_BYTES]) {
    const enum budget_unit unit = one->limit->word->unit;
    char measured[BUDGET_TEXT_BYTES], limit[BUDGET_TEXT_BYTES];
    if (one->missing) {
        snprintf(text, CHECKED_SENTENCE_BYTES, "the capture has none of that name");
        return;
    }
    int length = snprintf(text, CHECKED_SENTENCE_BYTES, "measured %s, limit %s",
                          budget_text(measured, unit, one->measured),
                          budget_text(limit, unit, one->limit->limit));
    if (one->row) {
        snprintf(text + length, CHECKED_SENTENCE_BYTES - (size_t)length,
                 ", worst at %.9f s on %.200s", (double)one->row->most_at_ns / 1e9,
                 one->row->most_on ? one->row->most_on->name : "?");
    }
}

/* A replacement for each character that means something where the text goes. */
struct escape {
    char character;
    const char *text;
};

/* Also U+FFFE and its like, which XML does not allow. */
static bool is_shown(uint32_t character) {
    return character != UTF8_REPLACEMENT && !utf8_is_control(character) &&
           (character & 0xfffeu) != 0xfffeu;
}

static void put_escaped(FILE *out, const char *text, const struct escape *escapes) {
    for (size_t left = strlen(text); left > 0;) {
        uint32_t character;
        const size_t taken = utf8_next(text, left, &character);
        const struct escape *escape = escapes;
        while (escape->text && escape->character != *text) {
            escape++;
        }
        if (escape->text) {
            fputs(escape->text, out);
        } else if (!is_shown(character)) {
            fputc('?', out);
        } else {
            fwrite(text, 1, taken, out);
        }
        text += taken;
        left -= taken;
    }
}

static const struct escape in_command[] = {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}, {0, NULL}};
static const struct escape in_message[] = {{'%', "%25"}, {0, NULL}};
static const struct escape in_markdown[] = {{'|', "&#124;"}, {'<', "&lt;"},  {'&', "&amp;"},
                                            {'`', "&#96;"},  {'*', "&#42;"}, {'_', "&#95;"},
                                            {'[', "&#91;"},  {'@', "&#64;"}, {0, NULL}};
static const struct escape in_xml[] = {
    {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {0, NULL}};

void checked_annotations(const struct checked *checked, const char *budget, FILE *out) {
    char text[CHECKED_SENTENCE_BYTES];
    unsigned printed = 0;
    for (size_t i = 0; i < checked->count && printed < CHECKED_ANNOTATIONS; i++) {
        const struct checked_one *one = &checked->list[i];
        if (one->exceeded) {
            fputs("::error file=", out);
            put_escaped(out, budget, in_command);
            fprintf(out, ",line=%u,title=%s ", one->limit->line, one->limit->word->kind);
            put_escaped(out, checked_name(one), in_command);
            fprintf(out, " %s::", one->limit->word->word);
            checked_sentence(one, text);
            put_escaped(out, text, in_message);
            fputc('\n', out);
            printed++;
        }
    }
}

static bool end_file(FILE *file, const char *path) {
    const bool bad = ferror(file) != 0, worse = fclose(file) != 0;
    if (bad || worse) {
        say("%s: cannot be written: %s", path, strerror(errno));
    }
    return !bad && !worse;
}

static FILE *open_file(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) {
        say("%s: cannot be written: %s", path, strerror(errno));
    }
    return file;
}

bool checked_summary(const struct checked *checked, const char *path) {
    char text[CHECKED_SENTENCE_BYTES];
    FILE *out = path && path[0] ? open_file(path, "a") : NULL;
    if (!out) {
        return !path || !path[0];
    }
    fprintf(out, "%u limits checked, %u exceeded\n\n| result | limit | |\n|---|---|---|\n",
            checked->count, checked->exceeded);
    for (size_t i = 0; i < checked->count; i++) {
        const struct checked_one *one = &checked->list[i];
        fprintf(out, "| %s | %s ", verdict(one), one->limit->word->kind);
        put_escaped(out, checked_name(one), in_markdown);
        fprintf(out, " %s | ", one->limit->word->word);
        checked_sentence(one, text);
        put_escaped(out, text, in_markdown);
        fputs(" |\n", out);
    }
    return end_file(out, path);
}

bool checked_junit(const struct checked *checked, const char *capture, const char *path) {
    char text[CHECKED_SENTENCE_BYTES];
    FILE *out = open_file(path, "w");
    if (!out) {
        return false;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"", out);
    put_escaped(out, capture, in_xml);
    fprintf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\">\n", checked->count,
            checked->exceeded);
    for (size_t i = 0; i < checked->count; i++) {
        const struct checked_one *one = &checked->list[i];
        fprintf(out, "<testcase classname=\"%s ", one->limit->word->kind);
        put_escaped(out, checked_name(one), in_xml);
        fprintf(out, "\" name=\"%s\"", one->limit->word->word);
        checked_sentence(one, text);
        if (one->exceeded) {
            fputs("><failure message=\"", out);
            put_escaped(out, text, in_xml);
            fputs("\"/></testcase>\n", out);
        } else {
            fputs("><system-out>", out);
            put_escaped(out, text, in_xml);
            fputs("</system-out></testcase>\n", out);
        }
    }
    fputs("</testsuite>\n</testsuites>\n", out);
    return end_file(out, path);
}
