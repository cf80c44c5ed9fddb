/* SPDX-License-Identifier: MIT */
#include "cli/live_settings.h"

#include <errno.h>
#include <string.h>

#include "base/say.h"
#include "cli/cmd_input.h"
#include "sink/sink.h"

enum {
    OPTION_OUTPUT,
    OPTION_BAUD,
    OPTION_RTSCTS,
    OPTION_DTR,
    OPTION_RTS,
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
    OPTION_METRICS,
    OPTION_SET,
    OPTION_LARGE,
    OPTION_ELF,
    OPTION_SYMBOLIZER,
    OPTION_KEY,
    OPTION_QUIET
};

const struct option_spec live_option_table[] = {
    [OPTION_OUTPUT] = {"output", 'o', "OUT",
                       "a file whose suffix names the format, or FORMAT:PATH;\n"
                       "'-' as PATH is standard output; repeats. Without a\n"
                       ".kymo file the capture is kymo-DATE-TIME.kymo here"},
    [OPTION_BAUD] = LIVE_SPEC_BAUD,
    [OPTION_RTSCTS] = LIVE_SPEC_RTSCTS,
    [OPTION_DTR] = LIVE_SPEC_DTR,
    [OPTION_RTS] = LIVE_SPEC_RTS,
    [OPTION_DURATION] = {"duration", 0, "S", "end after S seconds"},
    [OPTION_IDLE] = {"idle", 0, "S", "end after S seconds without data"},
    [OPTION_KEEP] = {"keep", 0, NULL, "continue after the board has finished"},
    [OPTION_RECONNECT] = {"reconnect", 0, NULL,
                          "when the source is gone wait for it to come back, also for\n"
                          "a socket; default for a USB device that is unplugged"},
    [OPTION_NO_RECONNECT] = {"no-reconnect", 0, NULL, "end if the source disappears"},
    [OPTION_SET] = {"set", 0, "NAME=VALUE",
                    "set a parameter of the board as soon as it reports one\n"
                    "of this name; repeats"},
    [OPTION_LARGE] = LARGE_FILES_SPEC,
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    [OPTION_KEY] = LIVE_SPEC_KEY,
    [OPTION_NO_COMMANDS] = LIVE_SPEC_NO_COMMANDS,
    [OPTION_TRACY] = TRACY_SPEC_WHERE,
    [OPTION_NO_TRACY] = {"no-tracy", 0, NULL, "do not serve Tracy viewers"},
    [OPTION_TRACY_ANNOUNCE] = TRACY_SPEC_ANNOUNCE,
    [OPTION_TRACY_RELEASE] = TRACY_SPEC_RELEASE,
    [OPTION_SOURCE] = TRACY_SPEC_SOURCE,
    [OPTION_WAIT] = {"wait", 0, NULL, "start once a Tracy viewer has connected"},
    [OPTION_TIMEOUT] = {"timeout", 0, "S",
                        "with --wait: give up when no Tracy viewer has come for\n"
                        "S seconds"},
    [OPTION_METRICS] = METRICS_SPEC,
    [OPTION_QUIET] = {"quiet", 'q', NULL, "no status line"},
    {0},
};
_Static_assert(sizeof live_option_table / sizeof live_option_table[0] == LIVE_OPTION_COUNT + 1,
               "the header says how many options there are");

static int set_source(struct live_settings *settings, const struct options *options) {
    if (settings->source && sink_for_path(options->value)) {
        return options_wrong(options, "'%s' is no source: an output is '-o %s'", options->value,
                             options->value);
    }
    const size_t length = strlen(options->value);
    if (settings->source && length > 5 && strcmp(options->value + length - 5, ".kymo") == 0) {
        return options_wrong(options,
                             "'%s' is no board: a capture to write is '-o %s', and 'hostlink "
                             "merge' puts captures together",
                             options->value, options->value);
    }
    if (settings->source_count == REPLAY_BOARDS_MAX) {
        return options_wrong(options, "at most %u sources", REPLAY_BOARDS_MAX);
    }
    settings->sources[settings->source_count++] = options->value;
    settings->source = settings->sources[0];
    return 0;
}

static int set_baud(struct source_options *line, const struct options *options) {
    return options_unsigned(options, 1, 100000000, &line->baud) ? 0 : OPTIONS_WRONG;
}

static int set_modem(enum source_line *line, const struct options *options) {
    static const char *const words[] = {
        [SOURCE_LINE_KEEP] = "keep", [SOURCE_LINE_ON] = "on", [SOURCE_LINE_OFF] = "off"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(options->value, words[i]) == 0) {
            *line = (enum source_line)i;
            return 0;
        }
    }
    return options_wrong(options, "'--%s' is on, off or keep, not '%s'", options->current->name,
                         options->value);
}

static int add_output(struct live_settings *settings, const struct options *options) {
    char why[256];
    bool added = outputs_add(&settings->outputs, options->value, why, sizeof why);
    return added ? 0 : options_wrong(options, "%s", why);
}

static int add_wish(struct live_settings *settings, const struct options *options) {
    int error = setter_add(&settings->setter, options->value);
    return error == 0
               ? 0
               : options_wrong(options, error == -E2BIG
                                            ? "too many '--set'"
                                            : "'--set' needs NAME=VALUE with a whole number");
}

int live_settings_apply(void *context, const struct options *options, int option) {
    struct live_settings *settings = context;
    switch (option) {
    case OPTION_OUTPUT:
        return add_output(settings, options);
    case OPTION_BAUD:
        return set_baud(&settings->line, options);
    case OPTION_RTSCTS:
        settings->line.rtscts = true;
        return 0;
    case OPTION_DTR:
        return set_modem(&settings->line.dtr, options);
    case OPTION_RTS:
        return set_modem(&settings->line.rts, options);
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
        return elf_images_add(&settings->elf.images, options);
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
    case OPTION_METRICS:
        return metrics_where(&settings->metrics, options);
    case OPTION_QUIET:
        settings->quiet = true;
        return 0;
    case OPTIONS_OPERAND:
        return set_source(settings, options);
    default:
        return option;
    }
}

int live_settings_named(struct live_settings *settings, const struct options *options, int option) {
    if (option == OPTIONS_OPERAND) {
        return cmd_set_input(&settings->source, options);
    }
    for (int i = 0; option >= 0 && live_option_table[i].name; i++) {
        if (strcmp(live_option_table[i].name, options->specs[option].name) == 0) {
            return live_settings_apply(settings, options, i);
        }
    }
    return option;
}

bool live_settings_check(struct live_settings *settings, enum exit_code *code) {
    *code = EXIT_USAGE;
    if (settings->no_commands && settings->setter.count > 0) {
        say("'--set' sends commands: leave out '--set' or '--no-commands'");
        return false;
    }
    if (settings->source_count > 1 &&
        (settings->setter.count > 0 || settings->child || settings->outputs.large.directory)) {
        say("%s: of one board; name one source", settings->child              ? "'run'"
                                                 : settings->setter.count > 0 ? "'--set'"
                                                                              : "'--large'");
        return false;
    }
    if (!key_read(&settings->key, settings->key_path)) {
        return false;
    }
    *code = outputs_check(&settings->outputs) ? EXIT_OK : EXIT_OUTPUT;
    return *code == EXIT_OK;
}
