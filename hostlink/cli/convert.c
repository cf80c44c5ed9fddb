/* SPDX-License-Identifier: MIT */
#include "cli/convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "base/stop.h"
#include "capture/capture.h"
#include "cli/boards.h"
#include "sink/cut.h"
#include "sink/outfile.h"

#define PIECE_BYTES 65536u
/* The status line is redrawn after so many pieces: about every 16 MB. */
#define PIECES_PER_STATUS 256u

static void show_progress(const struct replay *replay) {
    char line[80];
    double part = (double)replay->position / (double)(replay->bytes > 0 ? replay->bytes : 1);
    snprintf(line, sizeof line, "reading the capture: %.0f %%", 100.0 * (part < 1.0 ? part : 1.0));
    say_status(line);
}

/* "stops": a signal ends it. */
static int feed_all(struct pipeline *pipeline, struct replay *replay, bool stops) {
    static uint8_t piece[PIECE_BYTES];
    for (unsigned count = 1;; count++) {
        ssize_t length = replay_read(replay, piece, sizeof piece);
        if (length < 0) {
            return (int)length;
        }
        if (length == 0) {
            return pipeline_end(pipeline);
        }
        int error = pipeline_feed(pipeline, piece, (size_t)length);
        if (error) {
            return error;
        }
        if (stops && stop_wanted()) {
            return -EINTR;
        }
        if (count % PIECES_PER_STATUS == 0) {
            show_progress(replay);
        }
    }
}

/* One pass over the whole replay, through a new pipeline that is left in *result. */
static int pass(struct pipeline **result, struct replay *replay, const struct pipeline *names,
                const struct pipeline_callbacks *callbacks, const struct receivers *receivers) {
    *result = pipeline_new(callbacks, names);
    int error = *result ? replay_rewind(replay) : -ENOMEM;
    if (!error) {
        pipeline_begins_at(*result, replay->has_magic ? CAPTURE_MAGIC_BYTES : 0);
        pipeline_know(*result, receivers->image);
        pipeline_know_symbols(*result, receivers->symbols);
        error = feed_all(*result, replay, receivers->outputs != NULL);
    }
    say_status("");
    if (error && error != -EINTR) {
        say("%s: cannot be read: %s", replay->name, strerror(-error));
    }
    return error;
}

/* The events go to both. */
struct split {
    struct consumer outputs, other;
    struct cut cut; /* before the outputs, where they get a part */
};

static int on_event(void *context, const struct event *event) {
    const struct split *split = context;
    (void)split->outputs.event(split->outputs.state, event);
    return split->other.event(split->other.state, event);
}

static int on_cut_event(void *cut, const struct event *event) { return cut_event(cut, event); }

static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    const struct receivers *receivers = *(const struct receivers **)context;
    if (receivers->outputs) {
        large_files_take(&receivers->outputs->large, large, bytes, length);
    }
    const struct consumer *consumer = receivers->consumer;
    if (consumer && consumer->large) {
        return consumer->large(consumer->state, large, bytes, length);
    }
    if (receivers->large && large->end != LARGE_GOES_ON) {
        receivers->large(receivers->large_context, large);
    }
    return 0;
}

/* The first pass; its totals show whether the second has anything to do. It looks into the events only if it must:
 * the outputs cannot be written again. */
static int learn(struct conversion *conversion, struct replay *replay,
                 const struct receivers *receivers) {
    const bool once = receivers->outputs && !outputs_can_repeat(receivers->outputs);
    const struct pipeline_callbacks callbacks = {.context = receivers->learn_context,
                                                 .names_only = receivers->learn == NULL && !once,
                                                 .event = receivers->learn};
    if (replay->boards) {
        conversion->boards = boards_new(replay);
        int failed = conversion->boards ? boards_learn(conversion->boards, receivers) : -ENOMEM;
        if (!failed && receivers->learn) {
            failed = boards_deliver(conversion->boards, &callbacks);
        }
        if (!failed) {
            boards_totals(conversion->boards, &conversion->totals);
        }
        return failed;
    }
    int error = pass(&conversion->names, replay, NULL, &callbacks, receivers);
    if (!error) {
        pipeline_totals(conversion->names, &conversion->totals);
    }
    return error;
}

/* The receiver of the events: a single one gets them straight from the pipeline. */
static struct consumer receiver(const struct receivers *receivers, struct split *split) {
    const struct consumer *other = receivers->consumer;
    if (!receivers->outputs) {
        return other ? *other : (struct consumer){0};
    }
    split->outputs = outputs_consumer(receivers->outputs);
    if (receivers->part) {
        split->cut = (struct cut){.part = receivers->part, .to = split->outputs};
        split->outputs = (struct consumer){.state = &split->cut, .event = on_cut_event};
    }
    if (!other) {
        return split->outputs;
    }
    split->other = *other;
    return (struct consumer){.state = split, .event = on_event};
}

/* After Ctrl-C: leaves no output half written. */
static void give_up(struct outputs *outputs) {
    outfile_give_up();
    (void)outputs_close(outputs);
    stop_end();
}

/* The second pass, or the third. */
static int deliver(struct conversion *conversion, struct replay *replay,
                   const struct pipeline *names, const struct receivers *receivers) {
    struct split split = {0};
    if (receivers->outputs) {
        stop_catch();
        outputs_open(receivers->outputs);
    }
    const struct consumer consumer = receiver(receivers, &split);
    const struct pipeline_callbacks callbacks = {.context = consumer.state,
                                                 .event = consumer.event,
                                                 .host = receivers->host,
                                                 .notice = receivers->notice,
                                                 .large = on_large,
                                                 .large_context = &receivers};
    int error;
    if (conversion->boards) {
        error = boards_deliver(conversion->boards, &callbacks);
        boards_totals(conversion->boards, &conversion->totals);
    } else {
        error = pass(&conversion->pipeline, replay, names, &callbacks, receivers);
        if (conversion->pipeline) {
            pipeline_totals(conversion->pipeline, &conversion->totals);
        }
    }
    if (split.cut.part) {
        const int wrong = cut_end(&split.cut);
        error = error ? error : wrong;
        cut_free(&split.cut);
    }
    if (receivers->outputs && error == -EINTR) {
        give_up(receivers->outputs);
    }
    if (receivers->outputs && !outputs_close(receivers->outputs) && !error) {
        error = -EIO;
    }
    if (receivers->outputs) {
        stop_release();
    }
    return error == 0 && receivers->outputs ? receivers->outputs->large.error : error;
}

/* Names of tasks and objects that came after these were shown. */
static int deliver_all(struct conversion *conversion, struct replay *replay,
                       const struct pipeline *names, struct receivers receivers) {
    const uint32_t known = pipeline_late_names(names);
    int error = deliver(conversion, replay, names, &receivers);
    if (error || pipeline_late_names(names) == known || !receivers.outputs || receivers.consumer ||
        !outputs_can_repeat(receivers.outputs)) {
        return error;
    }
    pipeline_free(conversion->pipeline);
    conversion->pipeline = NULL;
    receivers.notice = NULL; /* the first pass has reported everything */
    receivers.large = NULL;
    return deliver(conversion, replay, names, &receivers);
}

int conversion_run(struct conversion *conversion, struct replay *replay,
                   const struct pipeline *names, const struct receivers *receivers) {
    *conversion = (struct conversion){0};
    if (receivers->outputs) {
        stop_forget(); /* what ended the capture does not end its outputs */
    }
    if (!names || replay->boards) {
        int error = learn(conversion, replay, receivers);
        if (error || !totals_heard_board(&conversion->totals)) {
            return error;
        }
        names = conversion->names;
    }
    return conversion->boards ? deliver(conversion, replay, NULL, receivers)
                              : deliver_all(conversion, replay, names, *receivers);
}

void conversion_free(struct conversion *conversion) {
    if (conversion->boards) {
        boards_free(conversion->boards);
    }
    if (conversion->pipeline) {
        pipeline_free(conversion->pipeline);
    }
    if (conversion->names) {
        pipeline_free(conversion->names);
    }
    *conversion = (struct conversion){0};
}
