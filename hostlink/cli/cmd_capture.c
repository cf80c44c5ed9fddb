#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd.h"
#include "cli/convert.h"
#include "cli/elf_names.h"
#include "cli/find.h"
#include "cli/finish.h"
#include "cli/key.h"
#include "cli/live.h"
#include "cli/setter.h"
#include "cli/summary.h"
#include "sink/output.h"
#include "sink/zonestats.h"
#include "tracy/live.h"

#define BAUD_DEFAULT 115200u

enum {
    OPTION_OUTPUT,
    OPTION_BAUD,
    OPTION_RTSCTS,
    OPTION_DURATION,
    OPTION_IDLE,
    OPTION_KEEP,
    OPTION_RECONNECT,
    OPTION_NO_RECONNECT,
    OPTION_NO_COMMANDS,
    OPTION_TRACY,
    OPTION_NO_TRACY,
    OPTION_TRACY_ANNOUNCE,
    OPTION_TRACY_RELEASE,
    OPTION_SOURCE,
    OPTION_WAIT,
    OPTION_TIMEOUT,
    OPTION_SET,
    OPTION_LARGE,
    OPTION_ELF,
    OPTION_SYMBOLIZER,
    OPTION_KEY,
    OPTION_QUIET
};

static const struct option_spec option_table[] = {
    [OPTION_OUTPUT] = {"output", 'o', "OUT",
                       "a file whose suffix names the format, or FORMAT:PATH;\n"
                       "'-' as PATH is standard output; repeats. Without a\n"
                       ".kymo file the capture is kymo-DATE-TIME.kymo here"},
    [OPTION_BAUD] = {"baud", 'b', "N",
                     "bit rate of a serial device, any number that its\n"
                     "driver can do (default: 115200)"},
    [OPTION_RTSCTS] = {"rtscts", 0, NULL, "hardware flow control of a serial device"},
    [OPTION_DURATION] = {"duration", 0, "S", "end after S seconds"},
    [OPTION_IDLE] = {"idle", 0, "S", "end when nothing came for S seconds"},
    [OPTION_KEEP] = {"keep", 0, NULL, "go on after the board said that it has finished"},
    [OPTION_RECONNECT] = {"reconnect", 0, NULL,
                          "when the source is gone wait for it to come back, also for\n"
                          "a socket; default for a USB device that is unplugged"},
    [OPTION_NO_RECONNECT] = {"no-reconnect", 0, NULL,
                             "end when the source is gone, whatever it is"},
    [OPTION_SET] = {"set", 0, "NAME=VALUE",
                    "set a parameter of the board as soon as it reports one\n"
                    "of this name; repeats"},
    [OPTION_LARGE] = LARGE_FILES_SPEC,
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    [OPTION_KEY] = {"key", 0, "FILE",
                    "the key of a board that obeys over a network, as 32 hex\n"
                    "digits; or $KYMO_KEY has it"},
    [OPTION_NO_COMMANDS] = {"no-commands", 0, NULL,
                            "send nothing to the board: no greeting, no\n"
                            "request for names, no clock pings"},
    [OPTION_TRACY] = TRACY_SPEC_WHERE,
    [OPTION_NO_TRACY] = {"no-tracy", 0, NULL, "let no Tracy viewer connect"},
    [OPTION_TRACY_ANNOUNCE] = TRACY_SPEC_ANNOUNCE,
    [OPTION_TRACY_RELEASE] = TRACY_SPEC_RELEASE,
    [OPTION_SOURCE] = TRACY_SPEC_SOURCE,
    [OPTION_WAIT] = {"wait", 0, NULL, "begin when a Tracy viewer has connected"},
    [OPTION_TIMEOUT] = {"timeout", 0, "S",
                        "with --wait: give up when no Tracy viewer has come for\n"
                        "S seconds"},
    [OPTION_QUIET] = {"quiet", 'q', NULL, "no status line"},
    {0},
};

struct settings {
    const char *source, *elf_path, *symbolizer;
    struct elf_names elf;
    struct source_options line;
    struct outputs outputs;
    uint64_t duration_ns, idle_ns;
    struct setter setter;
    const char *key_path;
    struct key key;
    enum live_return wait;
    bool keep, no_commands, quiet;
    struct tracy_settings tracy;
};

static enum exit_code help(void) {
    cmd_help(&cmd_capture);
    printf("\nSources:\n");
    source_help(stdout);
    printf("\n");
    outputs_help(stdout, true);
    return EXIT_OK;
}

static int set_source(struct settings *settings, const struct options *options) {
    if (settings->source) {
        return options_wrong(options, "one source, not also '%s'", options->value);
    }
    settings->source = options->value;
    return 0;
}

static int add_output(struct settings *settings, const struct options *options) {
    char why[256];
    bool added = outputs_add(&settings->outputs, options->value, why, sizeof why);
    return added ? 0 : options_wrong(options, "%s", why);
}

static int add_wish(struct settings *settings, const struct options *options) {
    int error = setter_add(&settings->setter, options->value);
    return error == 0
               ? 0
               : options_wrong(options, error == -E2BIG
                                            ? "too many '--set'"
                                            : "'--set' needs NAME=VALUE with a whole number");
}

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_OUTPUT:
        return add_output(settings, options);
    case OPTION_BAUD:
        return options_unsigned(options, 1, 100000000, &settings->line.baud) ? 0 : OPTIONS_WRONG;
    case OPTION_RTSCTS:
        settings->line.rtscts = true;
        return 0;
    case OPTION_DURATION:
        return options_seconds(options, &settings->duration_ns) ? 0 : OPTIONS_WRONG;
    case OPTION_IDLE:
        return options_seconds(options, &settings->idle_ns) ? 0 : OPTIONS_WRONG;
    case OPTION_KEEP:
        settings->keep = true;
        return 0;
    case OPTION_RECONNECT:
        settings->wait = LIVE_WAIT_ALWAYS;
        return 0;
    case OPTION_NO_RECONNECT:
        settings->wait = LIVE_WAIT_NEVER;
        return 0;
    case OPTION_SET:
        return add_wish(settings, options);
    case OPTION_LARGE:
        settings->outputs.large.directory = options->value;
        return 0;
    case OPTION_ELF:
        settings->elf_path = options->value;
        return 0;
    case OPTION_SYMBOLIZER:
        settings->symbolizer = options->value;
        return 0;
    case OPTION_KEY:
        settings->key_path = options->value;
        return 0;
    case OPTION_NO_COMMANDS:
        settings->no_commands = true;
        return 0;
    case OPTION_TRACY:
        return tracy_settings_where(&settings->tracy, options);
    case OPTION_NO_TRACY:
        settings->tracy.off = true;
        return 0;
    case OPTION_TRACY_ANNOUNCE:
        settings->tracy.announce = true;
        return 0;
    case OPTION_TRACY_RELEASE:
        return tracy_settings_release(&settings->tracy, options);
    case OPTION_SOURCE:
        return tracy_settings_source(&settings->tracy, options);
    case OPTION_WAIT:
        settings->tracy.wait = true;
        return 0;
    case OPTION_TIMEOUT:
        return options_seconds(options, &settings->tracy.timeout_ns) ? 0 : OPTIONS_WRONG;
    case OPTION_QUIET:
        settings->quiet = true;
        return 0;
    case OPTIONS_OPERAND:
        return set_source(settings, options);
    default:
        return option;
    }
}

static int parse(struct settings *settings, char **argv) {
    struct options options = {.command = "capture", .specs = option_table, .argv = argv};
    return options_each(&options, apply, settings);
}

/* Without a source on the command line: the only one there is. */
static enum exit_code find_source(struct settings *settings) {
    static char found[PORT_PATH_SIZE];
    switch (settings->source ? FIND_ONE : find_only(found, sizeof found)) {
    case FIND_NONE:
        return stop_wanted() ? EXIT_NO_DATA : EXIT_SOURCE;
    case FIND_SEVERAL:
        return EXIT_USAGE;
    case FIND_ONE:
    default:
        settings->source = settings->source ? settings->source : found;
        return EXIT_OK;
    }
}

static enum exit_code open_source(struct source *source, const struct settings *settings) {
    int error = source_open(source, settings->source, &settings->line);
    if (error == 0) {
        return EXIT_OK;
    }
    say("%s: %s", strcmp(settings->source, "-") == 0 ? "standard input" : settings->source,
        source->why);
    return error == -ENODATA ? EXIT_NO_DATA : EXIT_SOURCE;
}

/* A plain file is over before anybody could connect; for that there is serve. */
static enum exit_code open_tracy(struct tracy_live *tracy, struct settings *settings) {
    struct stat file;
    bool plain = stat(settings->source, &file) == 0 && S_ISREG(file.st_mode);
    if (plain && !settings->tracy.asked && !settings->tracy.wait) {
        settings->tracy.off = true;
    }
    settings->tracy.program = settings->source;
    int error = tracy_live_open(tracy, &settings->tracy);
    return error == 0 ? EXIT_OK : error == -EINTR ? EXIT_NO_DATA : EXIT_OUTPUT;
}

/* A board may begin as soon as its line is opened: not before a viewer is there, if that is wanted. */
static enum exit_code open_both(struct source *source, struct tracy_live *tracy,
                                struct settings *settings) {
    enum exit_code code = settings->tracy.wait ? open_tracy(tracy, settings) : EXIT_OK;
    code = code != EXIT_OK ? code : open_source(source, settings);
    if (code == EXIT_OK && !settings->tracy.wait) {
        code = open_tracy(tracy, settings);
        if (code != EXIT_OK) {
            source_close(source);
        }
    }
    return code;
}

/* kymo-20260131-235959.kymo, or with -2 and so on behind it if that is there. */
static int open_default(struct capture *capture) {
    static char path[64];
    char stem[48];
    struct tm when;
    time_t now = time(NULL);
    int error = -EEXIST;
    if (!localtime_r(&now, &when) ||
        strftime(stem, sizeof stem, "kymo-%Y%m%d-%H%M%S", &when) == 0) {
        strcpy(stem, "kymo");
    }
    snprintf(path, sizeof path, "%s.kymo", stem);
    for (int i = 2; i < 100 && (error = capture_open(capture, path, true)) == -EEXIST; i++) {
        snprintf(path, sizeof path, "%s-%d.kymo", stem, i);
    }
    capture->path = path;
    return error;
}

/* No litter: a file that nobody named and that holds nothing. */
static void remove_if_empty(const struct capture *capture, const struct settings *settings,
                            enum exit_code code) {
    if (code == EXIT_NO_DATA && capture->path && !settings->outputs.capture &&
        capture->bytes <= CAPTURE_MAGIC_BYTES) {
        unlink(capture->path);
    }
}

/* A plain file is its own capture: it is kept only if a name for it was given. */
static enum exit_code open_capture(struct capture *capture, const struct settings *settings,
                                   const struct source *source) {
    const char *path = settings->outputs.capture;
    *capture = (struct capture){.fd = -1, .spare_fd = -1};
    if (!path && !source->live) {
        return EXIT_OK;
    }
    int error = path ? capture_open(capture, path, false) : open_default(capture);
    if (error) {
        capture_say_unopened(capture->path ? capture->path : path, error);
        return EXIT_OUTPUT;
    }
    if (settings->outputs.count > 0) {
        capture_want_spare(capture);
    }
    if (capture->error) {
        capture_say_error(capture);
    }
    if (!capture->regular && settings->outputs.count > 0) {
        say("%s: cannot be read back, which the other outputs need; name a file for the capture",
            path);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static void set_up(struct live *live, const struct settings *settings, struct source *source,
                   struct capture *capture) {
    *live = (struct live){.source = source,
                          .capture = capture->path ? capture : NULL,
                          .duration_ns = settings->duration_ns,
                          .idle_ns = settings->idle_ns,
                          .baud = settings->line.baud,
                          .keep = settings->keep,
                          .wait = settings->wait,
                          .commands = !settings->no_commands,
                          .quiet = settings->quiet,
                          .image = elf_names_image(&settings->elf),
                          .key = settings->key.given ? settings->key.bytes : NULL,
                          .board_out = outputs_use_stdout(&settings->outputs) ? stderr : stdout};
}

/* What the user can do about commands that did not arrive, NULL = it shows in no state. */
static const char *cure(const struct live *live) {
    return live->source->two_way ? guard_cure(live->guard.state)
                                 : "give a source that can be written to, such as a serial device";
}

static enum exit_code run_live(struct settings *settings, struct source *source,
                               struct capture *capture, struct tracy_live *tracy) {
    struct live live;
    struct viewer zones = {
        .consumer = {.name = "zones", .state = zonestats_new(), .event = summary_zone}};
    if (!zones.consumer.state) {
        say("memory is short");
        return EXIT_OUTPUT;
    }
    set_up(&live, settings, source, capture);
    live.viewers[live.viewer_count++] = &zones;
    setter_start(&settings->setter);
    live.viewers[live.viewer_count++] = &settings->setter.viewer;
    if (tracy->server) {
        live.viewers[live.viewer_count++] = &tracy->viewer;
    }
    live_run(&live);
    tracy_live_close(tracy);
    stop_release();
    capture_close(capture);
    enum exit_code code = finish(&live, &settings->outputs, zones.consumer.state,
                                 capture->path ? capture->path : settings->source);
    if (totals_heard_board(&live.totals) &&
        !setter_report(&settings->setter, &live.dialogue.params, cure(&live)) && code == EXIT_OK) {
        code = EXIT_COMMAND;
    }
    pipeline_free(live.pipeline);
    zonestats_free(zones.consumer.state);
    return code;
}

static enum exit_code capture_source(struct settings *settings) {
    struct source source;
    struct capture capture;
    struct tracy_live tracy = {0};
    enum exit_code code = find_source(settings);
    code = code == EXIT_OK ? open_both(&source, &tracy, settings) : code;
    if (code != EXIT_OK) {
        tracy_live_close(&tracy);
        return code;
    }
    const char *const inputs[] = {settings->source, settings->elf_path, settings->key_path};
    code = outputs_apart(&settings->outputs, inputs, sizeof inputs / sizeof inputs[0])
               ? open_capture(&capture, settings, &source)
               : EXIT_USAGE;
    if (code == EXIT_OK) {
        code = run_live(settings, &source, &capture, &tracy);
        remove_if_empty(&capture, settings, code);
    }
    tracy_live_close(&tracy);
    source_close(&source);
    return code;
}

static enum exit_code run(char **argv) {
    struct settings settings = {.line = {.baud = BAUD_DEFAULT}};
    int wrong = parse(&settings, argv);
    if (wrong) {
        return wrong == OPTIONS_HELP ? help() : EXIT_USAGE;
    }
    if (settings.no_commands && settings.setter.count > 0) {
        say("'--set' sends commands: leave out one of it and '--no-commands'");
        return EXIT_USAGE;
    }
    if (!key_read(&settings.key, settings.key_path)) {
        return EXIT_USAGE;
    }
    if (!outputs_check(&settings.outputs)) {
        return EXIT_OUTPUT;
    }
    if (!elf_names_open(&settings.elf, settings.elf_path, settings.symbolizer)) {
        return EXIT_SOURCE;
    }
    stop_catch();
    if (!settings.tracy.off) {
        elf_names_prepare(&settings.elf);
    }
    enum exit_code code = capture_source(&settings);
    elf_names_close(&settings.elf);
    return code;
}

const struct cmd cmd_capture = {
    .name = "capture",
    .usage = "[SOURCE] [options]",
    .summary = "Captures the trace of a board",
    .text =
        "The word 'capture' may be left out. Ctrl-C ends the capture and completes all outputs.\n"
        "On standard output: what the board prints ('board: ...'), then the table of zones, whose\n"
        "words 'hostlink help stats' explains.\n",
    .options = option_table,
    .run = run,
};
