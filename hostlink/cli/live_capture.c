/* SPDX-License-Identifier: MIT */
#include "cli/live_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "base/say.h"
#include "base/stop.h"
#include "cli/await_source.h"
#include "cli/capture_file.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/keep_symbols.h"
#include "cli/live.h"
#include "cli/silence.h"
#include "cli/summary.h"
#include "platform/file.h"
#include "sink/output.h"

static void say_capture(const struct live *live) {
    char bytes[HUMAN_SIZE];
    const struct capture *capture = live->capture;
    if (capture && capture->bytes <= CAPTURE_MAGIC_BYTES) {
        say("%s", live_end_text(live));
    } else if (capture) {
        say("%s: %s in %s", live_end_text(live), human_number(bytes, (double)capture->bytes, "B"),
            strcmp(capture->path, "-") == 0 ? "standard output" : capture->path);
    }
}

static void say_end(const struct live *live) {
    char trip[HUMAN_SIZE], pings[HUMAN_COUNT_SIZE];
    if (live->end == LIVE_SOURCE_FAILED) {
        say("the source failed: %s; what came before is kept",
            live->error == -EIO ? "the other side is gone (cable, adapter, emulator?)"
                                : strerror(-live->error));
    }
    say_capture(live);
    silence_of_end(&summary_says, live);
    if (live->dialogue.pongs > 0) {
        say("clock: %" PRIu64 " of %s answered, best round trip %s", live->dialogue.pongs,
            human_count(pings, live->dialogue.pings, "ping", "pings"),
            human_time(trip, live->dialogue.best_ns));
    }
}

/* True if the source hung up, as a program that Tracy profiles does when the peer is not a viewer. */
static bool has_hung_up(const struct live *live) {
    return live->source->two_way && live->source->live && !live->source->serial &&
           (live->end == LIVE_END_OF_DATA || live->end == LIVE_SOURCE_FAILED);
}

static void say_no_data(const struct live *live) {
    if (live->totals.bytes == 0 && has_hung_up(live)) {
        say("the other side closed the connection and sent nothing: is a board there, or its "
            "emulator? Programs with TracyClient wait for a viewer instead (port 8086): connect "
            "tracy-profiler or tracy-capture");
    } else if (live->totals.bytes == 0) {
        say("nothing came from the board: does it run, call kymo_init() and kymo_drain(), and is "
            "this its port?");
    } else {
        findings_no_packet(&summary_says, &live->totals, live->totals.bytes,
                           live->source->serial ? FINDINGS_SERIAL : FINDINGS_STREAM, live->baud);
    }
}

static FILE *table_stream(const struct outputs *outputs) {
    return outputs_use_stdout(outputs) ? stderr : stdout;
}

static enum exit_code print(const struct live *live, struct summary *summary,
                            const struct pipeline_totals *totals, const struct outputs *outputs) {
    struct table_to to = {.form = TABLE_TEXT, .text = table_stream(outputs)};
    summary_warn(totals, live->source->serial ? line_load_percent(&live->load, live->baud) : 0);
    const int error = summary_print(summary, totals, &to);
    summary_events(totals, to.text);
    if (error) {
        say(SAY_NO_MEMORY);
    }
    return error ? EXIT_OUTPUT : cmd_end_stdout();
}

/* The file that was recorded, not another one that has its name since. */
static int open_recorded(struct replay *replay, const struct live *live, const char *recorded) {
    const struct capture *capture = live->capture;
    return replay_adopt(replay, recorded,
                        !capture                 ? sys_duplicate(live->source->fd)
                        : capture->spare_fd >= 0 ? capture->spare_fd
                                                 : sys_duplicate(capture->fd));
}

/* The table, and the symbols that go into the capture. */
static int on_event(void *context, const struct event *event) {
    keep_symbols_look_up(event);
    return summary_event(context, event);
}

/* Stores the symbols in the capture, so that the ELF file is not needed later. */
static bool keep_symbols(const struct live *live, const char *recorded) {
    const struct code_table *table = live->image ? live->image->table : NULL;
    const bool kept = live->capture && live->capture->regular && live->capture->spare_fd < 0 &&
                      !live->capture->error;
    return !table || table->count == 0 || !kept ||
           keep_symbols_write(live->capture->fd, recorded, table) == 0;
}

/* Writes the outputs, and with "summary" the table, from the recording: one way for all, with all names known from
 * the start. */
static enum exit_code convert(const struct live *live, struct outputs *outputs,
                              struct summary *summary, const char *recorded) {
    struct replay replay;
    struct conversion conversion;
    const struct consumer table = {.state = summary, .event = on_event};
    const struct receivers receivers = {
        .image = live->image, .outputs = outputs, .consumer = summary ? &table : NULL};
    if (open_recorded(&replay, live, recorded) != 0) {
        return EXIT_OUTPUT;
    }
    int error = conversion_run(&conversion, &replay, live->pipeline, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : EXIT_OK;
    if (summary) {
        enum exit_code printed = print(live, summary, &conversion.totals, outputs);
        code = code != EXIT_OK ? code : printed;
    }
    conversion_free(&conversion);
    replay_close(&replay);
    if (!keep_symbols(live, recorded)) {
        code = EXIT_OUTPUT;
    }
    return code;
}

static enum exit_code convert_with_table(const struct live *live, struct outputs *outputs,
                                         const char *recorded) {
    struct summary *summary = summary_new();
    if (!summary) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    enum exit_code code = convert(live, outputs, summary, recorded);
    summary_free(summary);
    return code;
}

/* Events that were not saved, or cannot be read back, are in the live table only. */
static enum exit_code finish_unkept(const struct live *live, struct outputs *outputs,
                                    struct summary *summary, const char *recorded) {
    enum exit_code code = EXIT_OK;
    if (outputs->count > 0 && live->capture->bytes <= CAPTURE_MAGIC_BYTES) {
        say("nothing of the capture was kept, so its other outputs are not written");
        code = EXIT_OUTPUT;
    } else if (outputs->count > 0) {
        say("the other outputs hold only what was kept of the capture");
        code = convert(live, outputs, NULL, recorded);
    }
    enum exit_code printed = print(live, summary, &live->totals, outputs);
    return code != EXIT_OK ? code : printed;
}

/* "summary" has seen the live events; "recorded" is the path of the recording. */
static enum exit_code finish(const struct live *live, struct outputs *outputs,
                             struct summary *summary, const char *recorded) {
    const struct capture *capture = live->capture;
    enum exit_code code = EXIT_OK;
    say_end(live);
    if (!totals_heard_board(&live->totals)) {
        say_no_data(live);
        code = EXIT_NO_DATA;
    } else if (capture && capture->spare_fd < 0 && (capture->error || !capture->regular)) {
        code = finish_unkept(live, outputs, summary, recorded);
    } else {
        code = convert_with_table(live, outputs, recorded);
    }
    if (capture && capture->regular && !capture_has_name(capture)) {
        say("%s: another program removed or replaced it during the capture, which is lost; what "
            "else was asked for is whole",
            capture->path);
        code = EXIT_OUTPUT;
    }
    if (live->end == LIVE_NO_MEMORY || (capture && capture->error)) {
        return EXIT_OUTPUT;
    }
    if (code != EXIT_OUTPUT && live->end == LIVE_SOURCE_FAILED) {
        return EXIT_CUT;
    }
    return code;
}

/* A plain file has been read before a viewer can connect; use serve for one. */
static enum exit_code open_tracy(struct tracy_live *tracy, struct live_settings *settings) {
    struct sys_status file;
    bool plain =
        settings->source && sys_status_of(settings->source, &file) == 0 && file.type == SYS_REGULAR;
    if (plain && !settings->tracy.asked && !settings->tracy.wait) {
        settings->tracy.off = true;
    }
    settings->tracy.program = settings->child    ? settings->child->argv[0]
                              : settings->source ? settings->source
                                                 : "kymo";
    int error = tracy_live_open(tracy, &settings->tracy);
    return error == 0 ? EXIT_OK : error == -EINTR ? EXIT_NO_DATA : EXIT_OUTPUT;
}

/* A board may begin as soon as its line is opened: not before a viewer is there, if that is wanted. */
static enum exit_code open_both(struct source *source, struct tracy_live *tracy,
                                struct live_settings *settings) {
    enum exit_code code = settings->tracy.wait ? open_tracy(tracy, settings) : EXIT_OK;
    code = code != EXIT_OK ? code : await_source(source, settings);
    if (code == EXIT_OK && !settings->tracy.wait) {
        code = open_tracy(tracy, settings);
        if (code != EXIT_OK) {
            source_close(source);
        }
    }
    return code;
}

static void set_up(struct live *live, const struct live_settings *settings, struct source *source,
                   struct capture *capture) {
    *live =
        (struct live){.source = source,
                      .capture = capture->path ? capture : NULL,
                      .duration_ns = settings->duration_ns,
                      .idle_ns = settings->idle_ns,
                      .baud = settings->line.baud,
                      .keep = settings->keep,
                      .child = settings->child && !settings->child->first ? settings->child : NULL,
                      .wait = settings->wait,
                      .commands = !settings->no_commands,
                      .quiet = settings->quiet,
                      .image = elf_names_image(&settings->elf),
                      .key = settings->key.given ? settings->key.bytes : NULL,
                      .board_out = outputs_use_stdout(&settings->outputs) ? stderr : stdout};
}

/* Advice about commands that did not arrive, NULL = no state explains it. */
static const char *cure(const struct live *live) {
    return live->source->two_way ? guard_cure(live->guard.state)
                                 : "give a source that can be written to, such as a serial device";
}

static void end_child(struct live_settings *settings) {
    if (settings->child) {
        child_end(settings->child, stop_wanted());
    }
}

static enum exit_code run_live(struct live_settings *settings, struct source *source,
                               struct capture *capture, struct tracy_live *tracy) {
    struct live live;
    struct summary *summary = summary_new();
    struct viewer table = {.consumer = {.name = "table", .state = summary, .event = summary_event}};
    if (!summary) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    set_up(&live, settings, source, capture);
    live.viewers[live.viewer_count++] = &table;
    setter_start(&settings->setter);
    live.viewers[live.viewer_count++] = &settings->setter.viewer;
    if (tracy->server) {
        live.viewers[live.viewer_count++] = &tracy->viewer;
    }
    if (settings->metrics.port != 0) {
        settings->metrics.totals = &live.totals;
        live.viewers[live.viewer_count++] = &settings->metrics.viewer;
    }
    live_run(&live);
    metrics_close(&settings->metrics);
    end_child(settings);
    tracy_live_close(tracy);
    stop_release();
    capture_sync(capture);
    enum exit_code code = finish(&live, &settings->outputs, summary,
                                 capture->path ? capture->path : settings->source);
    if (capture_close(capture) != 0 && code == EXIT_OK) {
        code = EXIT_OUTPUT;
    }
    if (totals_heard_board(&live.totals) &&
        !setter_report(&settings->setter, &live.dialogue.params, cure(&live)) && code == EXIT_OK) {
        code = EXIT_COMMAND;
    }
    pipeline_free(live.pipeline);
    summary_free(summary);
    return code;
}

static enum exit_code capture_source(struct live_settings *settings) {
    struct source source;
    struct capture capture;
    struct tracy_live tracy = {0};
    enum exit_code code = open_both(&source, &tracy, settings);
    if (code != EXIT_OK) {
        end_child(settings);
        tracy_live_close(&tracy);
        return code;
    }
    const char *inputs[2 + ELF_IMAGES_MAX] = {settings->source, settings->key_path};
    const size_t count = elf_images_paths(&settings->elf.images, inputs, 2);
    code = outputs_apart(&settings->outputs, inputs, count) ? EXIT_OK : EXIT_USAGE;
    if (code == EXIT_OK && !metrics_open(&settings->metrics)) {
        code = EXIT_OUTPUT;
    }
    code = code == EXIT_OK ? capture_file_open(&capture, settings, source.live) : code;
    if (code == EXIT_OK) {
        code = run_live(settings, &source, &capture, &tracy);
        capture_file_remove_if_empty(&capture, code);
    }
    metrics_close(&settings->metrics);
    end_child(settings);
    tracy_live_close(&tracy);
    source_close(&source);
    return code;
}

enum exit_code live_capture(struct live_settings *settings) {
    enum exit_code code;
    if (!live_settings_check(settings, &code)) {
        return code;
    }
    if (!elf_names_open(&settings->elf, settings->symbolizer)) {
        return EXIT_SOURCE;
    }
    stop_catch();
    settings->tracy.machine = elf_names_machine(&settings->elf);
    if (!settings->tracy.off) {
        elf_names_prepare(&settings->elf);
    }
    code = settings->source_count > 1 ? live_boards(settings) : capture_source(settings);
    elf_names_close(&settings->elf);
    return code;
}
