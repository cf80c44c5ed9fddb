/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <string.h>

#include "fuzz.h"
#include "short_memory.h"
#include "sink/comparetable.h"
#include "sink/profile.h"
#include "trace/pipeline.h"

static void must(bool good, const char *what) {
    if (!good) {
        fuzz_wrong(what);
    }
}

static void set_end(struct selection_end *end, uint8_t part) {
    static const char *const texts[] = {"100ns", "2us", "frame:2", "message:plain", "0", "0.0001"};
    if (part % 8u < sizeof texts / sizeof *texts) {
        must(selection_parse(end, texts[part % 8u]), "an end of a part");
    }
}

/* Half of all inputs are of the whole. */
static void select_part(struct selection *selection, uint8_t part) {
    static const char *const patterns[] = {NULL, "*a*", "plain", "[!p]*"};
    if (part % 2u != 0) {
        set_end(&selection->from, part / 2u);
        set_end(&selection->to, part / 16u);
        selection->zone = patterns[part / 4u % 4u];
        selection->context = patterns[part / 32u % 4u];
    }
}

/* The last one is a comparison. */
static uint32_t count_of_views(void) {
    uint32_t count = 0;
    while (views[count] != NULL) {
        count++;
    }
    return count;
}

static void make_compared(struct tables *tables) {
    static struct compared before, after;
    compared_init(&before, NULL);
    compared_init(&after, NULL);
    tables->before = &before;
    tables->after = &after;
}

void tables_begin(struct tables *tables, uint8_t how, uint8_t part) {
    static const struct pipeline_totals totals;
    *tables = (struct tables){.how = how};
    const uint32_t count = count_of_views();
    tables->options = (struct view_options){.selection = &tables->selection,
                                            .longest = part % 3u == 0 ? "all" : "*a*",
                                            .level = part % 6u,
                                            .text = part % 4u == 0 ? "p" : NULL,
                                            .top = part % 5u,
                                            .totals = &totals};
    if (how % (count + 1u) == count) {
        make_compared(tables);
        return;
    }
    tables->view = views[how % (count + 1u)];
    /* The kernel's table is of the whole capture. */
    if (tables->view->option == NULL || strcmp(tables->view->option, "tasks") != 0) {
        select_part(&tables->selection, part);
    }
    short_memory(true);
    tables->state = tables->view->make(&tables->options);
    short_memory(false);
    must(tables->state != NULL || short_memory_failed(), "memory");
}

/* A failure ends the run. */
static void must_be_0(int result, const char *what) {
    short_memory(false);
    must(result == 0 || short_memory_failed(), what);
}

void tables_find(struct tables *tables, const struct event *event) {
    if (short_memory_failed()) {
        return;
    }
    selection_look(&tables->selection, event);
    if (tables->view != NULL && tables->view->find != NULL) {
        short_memory(true);
        must_be_0(tables->view->find(tables->state, event), "find");
    }
}

void tables_event(struct tables *tables, const struct event *event) {
    if (short_memory_failed()) {
        return;
    }
    short_memory(true);
    const bool taken = selection_takes(&tables->selection, event);
    if (tables->view == NULL) {
        struct compared *compared =
            tables->events++ / (8u << tables->how % 4u) % 2u == 0 ? tables->before : tables->after;
        must_be_0(compared_event(compared, event), "event of a comparison");
    } else if (taken || tables->view->whole) {
        must_be_0(tables->view->event(tables->state, event), "event of a table");
    }
    short_memory(false);
}

static int compare(struct tables *tables, struct table_to *to) {
    int error = compared_settle(tables->before);
    error = error != 0 ? error : compared_settle(tables->after);
    error = error != 0 ? error
                       : comparetable_write(tables->before, tables->after, 5.0, COMPARE_ALL, to);
    compared_free(tables->before);
    compared_free(tables->after);
    return error;
}

/* Writes a view; the table of call stacks without the note that there are no names. */
static int write_view(struct tables *tables, struct table_to *to) {
    const char *option = tables->view->option != NULL ? tables->view->option : "";
    const int error = strcmp(option, "stacks") == 0    ? stacktable_write(tables->state, to)
                      : strcmp(option, "samples") == 0 ? sampletable_write(tables->state, to)
                                                       : tables->view->write(tables->state, to);
    tables->view->free(tables->state);
    return error;
}

void tables_end(struct tables *tables) {
    static const char *const columns[] = {NULL, "name", "total_ns", "count"};
    static FILE *nowhere;
    const unsigned how = tables->how / 16u;
    struct table_to to = {
        .form = (enum table_form)(1u << how % 3u), .sort = columns[how / 3u % 4u], .top = how % 4u};
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    to.text = nowhere;
    must(nowhere != NULL, "/dev/null");
    if (tables->view != NULL && tables->state == NULL) {
        return;
    }
    must(to.form == TABLE_TEXT || outfile_open(&to.out, "/dev/null") == 0, "open");
    table_document(&to);
    short_memory(true);
    must_be_0(tables->view == NULL ? compare(tables, &to) : write_view(tables, &to), "a table");
    table_document_end(&to);
    must(to.form == TABLE_TEXT || outfile_close(to.out) == 0, "close");
    selection_free(&tables->selection);
}
