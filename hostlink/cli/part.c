/* SPDX-License-Identifier: MIT */
#include "cli/part.h"

#include <string.h>

#include "base/say.h"

static int set_end(struct selection_end *end, const struct options *options) {
    return selection_parse(end, options->value)
               ? 0
               : options_wrong(options,
                               "'--%s' is a time as '1.5' or '20ms', 'frame:N', 'message:TEXT' or "
                               "'signpost:HEADER', not '%s'",
                               options->current->name, options->value);
}

int part_option(void *member, const struct options *options) {
    struct selection *part = member;
    const char *name = options->current->name;
    if (strcmp(name, "from") == 0 || strcmp(name, "to") == 0) {
        return set_end(name[0] == 'f' ? &part->from : &part->to, options);
    }
    *(name[0] == 'z' ? &part->zone : &part->context) = options->value;
    return 0;
}

bool part_is_whole(const struct selection *part) {
    return part->from.is == SELECTION_NONE && part->to.is == SELECTION_NONE && !part->zone &&
           !part->context;
}

static bool was_found(const struct selection_end *end, const char *option) {
    if (end->is != SELECTION_NONE && !end->found) {
        say("--%s: the capture has no such %s", option,
            end->is == SELECTION_FRAME     ? "frame"
            : end->is == SELECTION_MESSAGE ? "message"
                                           : "signpost");
        return false;
    }
    return true;
}

static bool are_in_order(const struct selection *part) {
    const bool wrong = part->from.is != SELECTION_NONE && part->to.is != SELECTION_NONE &&
                       part->to.time_ns < part->from.time_ns;
    if (wrong) {
        say("--to lies before --from");
    }
    return !wrong;
}

static int on_event(void *part, const struct event *event) {
    selection_look(part, event);
    return 0;
}

enum exit_code part_look(struct selection *part, struct replay *replay,
                         const struct known_image *image, struct conversion *conversion) {
    const struct consumer consumer = {.state = part, .event = on_event};
    const struct receivers receivers = {
        .image = image, .consumer = &consumer, .notice = cmd_notice};
    if (selection_must_look(part)) {
        const int error = conversion_run(conversion, replay, NULL, &receivers);
        const enum exit_code code =
            error ? EXIT_OUTPUT : cmd_check_data(replay, &conversion->totals);
        if (code != EXIT_OK) {
            return code;
        }
        if (!was_found(&part->from, "from") || !was_found(&part->to, "to")) {
            return EXIT_NO_DATA;
        }
    }
    return are_in_order(part) ? EXIT_OK : EXIT_USAGE;
}

enum exit_code part_convert(struct selection *part, struct cmd_input *input,
                            struct part_passes *passes, struct receivers receivers) {
    struct replay *replay = &input->replay;
    receivers.image = elf_names_image(&input->elf);
    *passes = (struct part_passes){0};
    const enum exit_code code = part_look(part, replay, receivers.image, &passes->look);
    if (code != EXIT_OK) {
        return code;
    }
    receivers.notice = passes->look.names ? NULL : cmd_notice; /* already reported */
    const int error = conversion_run(&passes->last, replay, passes->look.names, &receivers);
    return error ? EXIT_OUTPUT : cmd_check_data(replay, &passes->last.totals);
}

void part_passes_free(struct part_passes *passes) {
    conversion_free(&passes->last);
    conversion_free(&passes->look);
}

void part_say_unmatched(const struct selection *part) {
    if (part->zone && !part->zone_found) {
        say("--zone: no zone's name matches '%s'", part->zone);
    }
    if (part->context && !part->context_found) {
        say("--context: nothing that ran there has a name that matches '%s'", part->context);
    }
}
