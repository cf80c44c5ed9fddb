/* SPDX-License-Identifier: MIT */
/* The options --from, --to, --zone and --context: a part of a capture. */
#ifndef HOSTLINK_PART_H
#define HOSTLINK_PART_H

#include "base/options.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "sink/selection.h"

/* Rows of a table of options; "part" is the place of the struct selection in the settings. */
#define PART_SPECS(part)                                                                           \
    PART_FROM_SPEC(part), PART_TO_SPEC(part), PART_ZONE_SPEC(part), PART_CONTEXT_SPEC(part)
#define PART_FROM_SPEC(part)                                                                       \
    {                                                                                              \
        "from", 0, "WHEN",                                                                         \
            "only events after this time ('1.5' seconds, '20ms'),\n"                               \
            "the n-th frame mark ('frame:12') or the first message that\n"                         \
            "has this text in it ('message:TEXT')",                                                \
            part_option, part                                                                      \
    }
#define PART_TO_SPEC(part)                                                                         \
    { "to", 0, "WHEN", "only events before this time", part_option, part }
#define PART_ZONE_SPEC(part)                                                                       \
    { "zone", 0, "PATTERN", "only zones whose names match, for example 'log*'", part_option, part }
#define PART_CONTEXT_SPEC(part)                                                                    \
    {                                                                                              \
        "context", 0, "PATTERN",                                                                   \
            "only events of cores, tasks and interrupts whose names\n"                             \
            "match",                                                                               \
            part_option, part                                                                      \
    }

/* "take" of all four: into a struct selection. */
int part_option(void *part, const struct options *options);
bool part_is_whole(const struct selection *part);
/* Before the first selection_takes(): looks for ends that are frames or messages, if there are any, in a conversion
 * whose names the next ones can have. Returns EXIT_OK, or reports the error in the part. */
enum exit_code part_look(struct selection *part, struct replay *replay,
                         const struct known_image *image, struct conversion *conversion);
/* The passes over the events of a part of a capture: the one that looks for its ends, and the one for the receivers.
 * Their names live in them. */
struct part_passes {
    struct conversion look, last;
};
/* part_look() and conversion_run(): EXIT_OK, or an error, which was reported. Free in any case. */
enum exit_code part_convert(struct selection *part, struct cmd_input *input,
                            struct part_passes *passes, struct receivers receivers);
void part_passes_free(struct part_passes *passes);
/* Reports each pattern that has matched nothing: an empty table alone would not show it. */
void part_say_unmatched(const struct selection *part);

#endif
