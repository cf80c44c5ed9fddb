/* SPDX-License-Identifier: MIT */
/* One page of a capture that opens without a network: the tables of hostlink stats, and drawings from the events: the
 * timeline, flame graphs, histograms. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "cli/boards.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/findings.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "platform/memory_stream.h"
#include "report/flames.h"
#include "report/page.h"
#include "report/timeline.h"
#include "sink/histogram.h"
#include "sink/json_text.h"
#include "sink/longest.h"
#include "sink/profile.h"
#include "sink/view.h"

/* Rows of a table, and runs of the longest, that the page has. */
#define REPORT_ROWS 2000u
#define REPORT_LONGEST TIMELINE_WINDOWS
#define VIEWS_MAX 16u

struct settings {
    struct cmd_input input;
    struct selection part;
    const char *output;
    bool quiet;
};

static const struct option_spec option_table[] = {
    {"output", 'o', "OUT.html", "the page; '-' is standard output", OPTION_TEXT(output)},
    PART_SPECS(OPTION_AT(part)),
    CMD_INPUT_SPECS,
    {"quiet", 'q', NULL, "only errors", OPTION_FLAG(quiet)},
    CMD_INPUT_OPERAND,
};

/* The outputs that the events go to. */
struct report {
    struct summary *summary; /* zones, and the worst of tasks */
    struct profile profile;
    struct report_timeline timeline;
    struct selection *part;
    struct view_options options;
    const struct view *views[VIEWS_MAX];
    void *states[VIEWS_MAX];
    uint32_t view_count;
    uint32_t finders[VIEWS_MAX], finder_count; /* views that also want the pass before */
    const struct longest *longest;             /* of these */
    bool begun;
    int64_t epoch_ns;
    const char *image;
    uint32_t sessions;
};

/* ---- what takes events ---- */

static bool open_report(struct report *report) {
    report->options =
        (struct view_options){.selection = report->part, .longest = "all", .top = REPORT_LONGEST};
    report_timeline_init(&report->timeline);
    report->summary = summary_new();
    bool made = report->summary != NULL;
    for (uint32_t i = 0; views[i] && report->view_count < VIEWS_MAX; i++) {
        const struct view *view = views[i];
        if (view->in_report) {
            report->views[report->view_count] = view;
            report->states[report->view_count] = view->make(&report->options);
            made = made && report->states[report->view_count] != NULL;
            report->longest = strcmp(view->option, "longest") == 0
                                  ? report->states[report->view_count]
                                  : report->longest;
            if (view->find) {
                report->finders[report->finder_count++] = report->view_count;
            }
            report->view_count++;
        }
    }
    return made;
}

static void free_report(struct report *report) {
    for (uint32_t i = 0; i < report->view_count; i++) {
        if (report->states[i]) {
            report->views[i]->free(report->states[i]);
        }
    }
    if (report->summary) {
        summary_free(report->summary);
    }
    profile_free(&report->profile);
    report_timeline_free(&report->timeline);
}

/* The pass that learns names also finds the longest runs. */
static int find(void *context, const struct event *event) {
    const struct report *report = context;
    int error = 0;
    for (uint32_t i = 0; i < report->finder_count && error == 0; i++) {
        const uint32_t view = report->finders[i];
        error = report->views[view]->find(report->states[view], event);
    }
    return error;
}

/* Runs that the tables link to stay whole on the timeline. */
static void begin(struct report *report) {
    const struct selection *part = report->part;
    int64_t from_ns, to_ns;
    report_timeline_part(&report->timeline,
                         part->from.is != SELECTION_NONE ? part->from.time_ns : INT64_MIN,
                         part->to.is != SELECTION_NONE ? part->to.time_ns : INT64_MAX);
    for (uint32_t i = 0; longest_run(report->longest, i, &from_ns, &to_ns); i++) {
        report_timeline_keep(&report->timeline, from_ns, to_ns);
    }
    report->begun = true;
}

static int on_event(void *context, const struct event *event) {
    struct report *report = context;
    if (!report->begun) {
        begin(report);
    }
    if (event->kind == EVENT_SESSION) {
        report->epoch_ns = report->epoch_ns != 0 ? report->epoch_ns : event->u.session.epoch_ns;
        report->image = event->u.session.image;
    }
    const bool taken = selection_takes(report->part, event);
    /* Blocks that were allocated before a part are live in it. */
    const bool drawn = taken || event->kind == EVENT_ALLOC || event->kind == EVENT_FREE;
    int error = taken ? summary_event(report->summary, event) : 0;
    error = error == 0 && taken ? profile_event(&report->profile, event) : error;
    error = error == 0 && drawn ? report_timeline_event(&report->timeline, event) : error;
    for (uint32_t i = 0; i < report->view_count && error == 0; i++) {
        const struct view *view = report->views[i];
        error = taken || view->whole ? view->event(report->states[i], event) : 0;
    }
    return error;
}

/* ---- tables ---- */

/* The writer of a table: that of a view, or one of these three. */
#define OWN_TABLES 3u
static const char *table_name(const struct report *report, uint32_t number) {
    static const char *const own[OWN_TABLES] = {"zones", "stacks", "samples"};
    return number < OWN_TABLES ? own[number] : report->views[number - OWN_TABLES]->option;
}

static int write_table(struct report *report, uint32_t number, const struct pipeline_totals *totals,
                       struct table_to *to) {
    const uint32_t view = number - OWN_TABLES;
    switch (number) {
    case 0:
        zonestats_span(report->summary->zones,
                       selection_span(report->part, zonestats_last_ns(report->summary->zones)));
        report->summary->is_part = !part_is_whole(report->part);
        return summary_print(report->summary, totals, to);
    case 1:
        return stacktable_write(&report->profile, to);
    case 2:
        return sampletable_write(&report->profile, to);
    default:
        return report->views[view]->write(report->states[view], to);
    }
}

static int write_tables(struct report *report, const struct pipeline_totals *totals,
                        struct outfile *out) {
    struct table_to to = {.form = TABLE_JSON, .out = out, .top = REPORT_ROWS};
    int error = 0;
    outfile_printf(out, "\"tables\":");
    table_document(&to);
    for (uint32_t i = 0; i < OWN_TABLES + report->view_count && error == 0; i++) {
        error = write_table(report, i, totals, &to);
    }
    table_document_end(&to);
    return error;
}

static int write_text(struct report *report, uint32_t number, const struct pipeline_totals *totals,
                      struct outfile *out) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = memory_stream_open(&text, &length);
    if (!memory) {
        return -ENOMEM;
    }
    struct table_to to = {.form = TABLE_TEXT, .text = memory};
    int error = write_table(report, number, totals, &to);
    if (number == 0) {
        zonestats_repairs(report->summary->zones, memory);
        summary_events(totals, memory);
    }
    error = memory_stream_close(memory) == 0 ? error : -ENOMEM;
    if (error == 0) {
        const char *name = table_name(report, number);
        outfile_printf(out, number == 0 ? "\n" : ",\n");
        json_text(out, name, strlen(name));
        outfile_printf(out, ":");
        json_text(out, text, length);
    }
    free(text);
    return error;
}

static int write_texts(struct report *report, const struct pipeline_totals *totals,
                       struct outfile *out) {
    int error = 0;
    outfile_printf(out, ",\"texts\":{");
    for (uint32_t i = 0; i < OWN_TABLES + report->view_count && error == 0; i++) {
        error = write_text(report, i, totals, out);
    }
    outfile_printf(out, "}");
    return error;
}

/* [step, how many, ...]; step is octave * 32 + step in it. */
static void write_histogram(const struct histogram *histogram, struct outfile *out) {
    const char *before = "";
    outfile_printf(out, "[");
    for (unsigned octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
        const uint64_t *steps = histogram->octaves[octave];
        for (unsigned step = 0; steps && step < HISTOGRAM_STEPS; step++) {
            if (steps[step] != 0) {
                outfile_printf(out, "%s%u,%" PRIu64, before, octave * HISTOGRAM_STEPS + step,
                               steps[step]);
                before = ",";
            }
        }
    }
    outfile_printf(out, "]");
}

/* One for each row of the table of zones, in the same order. */
static int write_histograms(const struct zonestats *zones, struct outfile *out) {
    size_t count;
    struct zonestats_row *rows = zonestats_rows(zones, &count);
    outfile_printf(out, ",\n\"histograms\":[");
    for (size_t i = 0; rows && i < count && i < REPORT_ROWS; i++) {
        outfile_printf(out, i == 0 ? "" : ",");
        write_histogram(rows[i].histogram, out);
    }
    outfile_printf(out, "]");
    const bool short_of_memory = !rows && count != 0;
    free(rows);
    return short_of_memory ? -ENOMEM : 0;
}

/* ---- the page ---- */

static void write_string(struct outfile *out, const char *key, const char *text) {
    outfile_printf(out, ",\"%s\":", key);
    json_text(out, text, strlen(text));
}

static void write_number(struct outfile *out, const char *key, uint64_t number) {
    outfile_printf(out, ",\"%s\":%" PRIu64, key, number);
}

/* Facts about the capture and the board. */
static void write_about(const struct report *report, const struct replay *replay,
                        const struct pipeline_totals *totals, struct outfile *out) {
    const struct board_info *info = &totals->info;
    const char *slash = strrchr(replay->name, '/');
    outfile_printf(out, ",\n\"about\":{\"hostlink\":\"%s\",\"epoch_ns\":%" PRId64, KYMO_VERSION,
                   report->epoch_ns);
    write_string(out, "file", slash ? slash + 1 : replay->name);
    outfile_printf(out, ",\"part\":%s", part_is_whole(report->part) ? "false" : "true");
    write_string(out, "image", report->image ? report->image : "");
    write_string(out, "runtime", info->text[KYMO_INFO_RUNTIME]);
    write_string(out, "arch", info->text[KYMO_INFO_ARCH]);
    write_number(out, "clock_hz", totals->clock_hz);
    write_number(out, "file_bytes", replay->bytes);
    write_number(out, "event_bytes", totals->event_bytes);
    write_number(out, "emitted", totals->emitted);
    write_number(out, "delivered", totals->delivered);
    write_number(out, "lost", totals->lost);
    write_number(out, "lost_ring", totals->lost_ring);
    write_number(out, "lost_link", totals->lost_link);
    write_number(out, "lost_before", totals->lost_before);
    write_number(out, "packets", totals->packets);
    write_number(out, "bad_packets", totals->bad_packets);
    write_number(out, "junk_bytes", totals->junk_bytes);
    write_number(out, "repairs", totals->repairs);
    write_number(out, "samples", totals->samples);
    write_number(out, "missed_samples", totals->missed_samples);
    write_number(out, "sessions", totals->sessions);
    write_number(out, "lanes", totals->lanes);
    write_number(out, "ring_bytes", info->number[KYMO_INFO_RING_BYTES][0]);
    write_number(out, "rows", REPORT_ROWS);
    write_number(out, "longest", REPORT_LONGEST);
    outfile_printf(out, ",\"final\":%s,\"ring_most\":[", totals->final ? "true" : "false");
    for (uint32_t i = 0; i < totals->lanes && i < BOARD_INFO_LANES; i++) {
        outfile_printf(out, i == 0 ? "%" PRIu32 : ",%" PRIu32, info->most_bytes[i]);
    }
    outfile_printf(out, "]}");
}

struct warnings {
    struct outfile *out;
    bool any;
};

static void put_warning(void *context, enum finding of, const char *text) {
    struct warnings *warnings = context;
    (void)of;
    outfile_printf(warnings->out, warnings->any ? ",\n" : "\n");
    json_text(warnings->out, text, strlen(text));
    warnings->any = true;
}

/* The lines that hostlink prints beside a table. */
static void write_warnings(const struct pipeline_totals *totals, struct outfile *out) {
    struct warnings warnings = {.out = out};
    const struct findings to = {&warnings, put_warning};
    outfile_printf(out, ",\n\"warnings\":[");
    findings_of_board(&to, totals);
    findings_of_trace(&to, totals, 0);
    outfile_printf(out, "]");
}

static int write_data(struct report *report, const struct replay *replay,
                      const struct pipeline_totals *totals, struct outfile *out) {
    outfile_printf(out, "{");
    int error = write_tables(report, totals, out);
    error = error ? error : write_texts(report, totals, out);
    error = error ? error : write_histograms(report->summary->zones, out);
    error = error ? error : report_timeline_end(&report->timeline);
    write_about(report, replay, totals, out);
    write_warnings(totals, out);
    outfile_printf(out, ",\n\"timeline\":");
    report_timeline_write(&report->timeline, out);
    outfile_printf(out, ",\n\"flames\":");
    error = error ? error : flames_write(&report->profile, &report->timeline.names, out);
    outfile_printf(out, ",\n\"names\":");
    report_names_write(&report->timeline.names, out);
    outfile_printf(out, "}");
    return error;
}

static enum exit_code write_page(struct report *report, const struct settings *settings,
                                 const struct pipeline_totals *totals) {
    struct outfile *out;
    int error = outfile_open(&out, settings->output);
    if (error == 0) {
        outfile_write(out, report_page_head, report_page_head_size);
        const int wrong = write_data(report, &settings->input.replay, totals, out);
        outfile_write(out, report_page_tail, report_page_tail_size);
        (void)outfile_fail(out, wrong);
        error = outfile_close(out);
    }
    if (error != 0) {
        say("%s: cannot be written: %s", settings->output, strerror(-error));
    }
    return error != 0 ? EXIT_OUTPUT : EXIT_OK;
}

/* ---- the command ---- */

/* The last pass makes the page. Names from the look for the part's ends replace the pass that learns names: a pass of
 * its own then finds the longest runs. Their strings live as long as the report. */
enum { PASS_LOOK, PASS_FIND, PASS_LAST, PASSES };
static enum exit_code run_passes(struct report *report, struct settings *settings,
                                 struct conversion passes[PASSES]) {
    struct conversion *first = &passes[PASS_LOOK];
    struct cmd_input *input = &settings->input;
    const struct known_image *image = elf_names_image(&input->elf);
    const struct consumer finds = {.state = report, .event = find};
    const struct consumer takes = {.state = report, .event = on_event};
    struct receivers receivers = {.image = image, .consumer = &finds};
    const enum exit_code code = part_look(&settings->part, &input->replay, image, first);
    int error = 0;
    if (code != EXIT_OK) {
        return code;
    }
    if (first->names) {
        error = conversion_run(&passes[PASS_FIND], &input->replay, first->names, &receivers);
    }
    receivers = (struct receivers){.image = image,
                                   .consumer = &takes,
                                   .notice = first->names ? NULL : cmd_notice,
                                   .learn = find,
                                   .learn_context = report};
    if (error == 0) {
        error = conversion_run(&passes[PASS_LAST], &input->replay, first->names, &receivers);
    }
    return error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &passes[PASS_LAST].totals);
}

static enum exit_code make_report(struct settings *settings) {
    static struct report report; /* too large for the stack */
    struct conversion passes[PASSES] = {0};
    const struct pipeline_totals *totals = &passes[PASS_LAST].totals;
    report = (struct report){.part = &settings->part};
    enum exit_code code = EXIT_OUTPUT;
    if (open_report(&report)) {
        code = run_passes(&report, settings, passes);
    } else {
        say(SAY_NO_MEMORY);
    }
    if (code == EXIT_OK) {
        if (!settings->quiet) {
            boards_say(passes[PASS_LAST].boards);
            summary_warn(totals, 0);
        }
        part_say_unmatched(&settings->part);
        code = write_page(&report, settings, totals);
    }
    free_report(&report);
    for (unsigned i = 0; i < PASSES; i++) {
        conversion_free(&passes[i]);
    }
    return code;
}

static bool is_apart(const struct settings *settings) {
    const char *inputs[1 + ELF_IMAGES_MAX] = {settings->input.path};
    const size_t count = elf_images_paths(&settings->input.elf.images, inputs, 1);
    return cmd_page_is_apart(settings->output, inputs, count);
}

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    return !settings->output     ? options_wrong(options, "no output given (-o OUT.html)")
           : !is_apart(settings) ? OPTIONS_WRONG
                                 : 0;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        code = make_report(settings);
        cmd_input_close(&settings->input);
    }
    selection_free(&settings->part);
    return code;
}

const struct cmd cmd_report = {
    .name = "report",
    .usage = "IN.kymo -o OUT.html [--from WHEN] [--to WHEN] [--elf IMAGE] [--symbolizer PROGRAM]",
    .summary = "Writes one HTML page of a capture file: timeline, flame graphs, tables",
    .text = "'-' as IN is standard input. The page needs no network and no other file.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .check = check,
    .run = run,
};
