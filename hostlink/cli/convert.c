#include "cli/convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"

#define PIECE_BYTES 65536u
/* The status line is redrawn after so many pieces: about every 16 MB. */
#define PIECES_PER_STATUS 256u

static void show_progress(const struct replay *replay) {
    char line[80];
    double part = (double)replay->position / (double)(replay->bytes > 0 ? replay->bytes : 1);
    snprintf(line, sizeof line, "reading the capture: %.0f %%", 100.0 * (part < 1.0 ? part : 1.0));
    say_status(line);
}

static int feed_all(struct pipeline *pipeline, struct replay *replay) {
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
        if (count % PIECES_PER_STATUS == 0) {
            show_progress(replay);
        }
    }
}

/* One pass over the whole replay, through a new pipeline that is left in *result. */
static int pass(struct pipeline **result, struct replay *replay, const struct pipeline *names,
                const struct pipeline_callbacks *callbacks, const struct known_image *image) {
    *result = pipeline_new(callbacks, names);
    int error = *result ? replay_rewind(replay) : -ENOMEM;
    if (!error) {
        pipeline_know(*result, image);
        error = feed_all(*result, replay);
    }
    say_status("");
    if (error) {
        say("%s: cannot be read: %s", replay->name, strerror(-error));
    }
    return error;
}

static int on_event(void *context, const struct event *event) {
    const struct receivers *receivers = context;
    if (receivers->outputs) {
        outputs_event(receivers->outputs, event);
    }
    return receivers->event ? receivers->event(receivers->context, event) : 0;
}

static void on_notice(void *context, const char *text) {
    const struct receivers *receivers = context;
    if (receivers->notice) {
        receivers->notice(receivers->context, text);
    }
}

/* The first pass; its totals tell whether there is anything for the second. */
static int learn(struct conversion *conversion, struct replay *replay,
                 const struct known_image *image) {
    static const struct pipeline_callbacks nobody = {.names_only = true};
    int error = pass(&conversion->names, replay, NULL, &nobody, image);
    if (!error) {
        pipeline_totals(conversion->names, &conversion->totals);
    }
    return error;
}

/* The second pass. */
static int deliver(struct conversion *conversion, struct replay *replay,
                   const struct pipeline *names, struct receivers *receivers) {
    const struct pipeline_callbacks callbacks = {
        .context = receivers, .event = on_event, .notice = on_notice};
    if (receivers->outputs) {
        outputs_open(receivers->outputs);
    }
    int error = pass(&conversion->pipeline, replay, names, &callbacks, receivers->image);
    if (conversion->pipeline) {
        pipeline_totals(conversion->pipeline, &conversion->totals);
    }
    if (receivers->outputs && !outputs_close(receivers->outputs) && !error) {
        error = -EIO;
    }
    return error;
}

int conversion_run(struct conversion *conversion, struct replay *replay,
                   const struct pipeline *names, const struct receivers *receivers) {
    struct receivers copy = *receivers;
    *conversion = (struct conversion){0};
    if (!names) {
        int error = learn(conversion, replay, receivers->image);
        if (error || !totals_heard_board(&conversion->totals)) {
            return error;
        }
        names = conversion->names;
    }
    return deliver(conversion, replay, names, &copy);
}

void conversion_free(struct conversion *conversion) {
    if (conversion->pipeline) {
        pipeline_free(conversion->pipeline);
    }
    if (conversion->names) {
        pipeline_free(conversion->names);
    }
    *conversion = (struct conversion){0};
}

bool totals_heard_board(const struct pipeline_totals *totals) { return totals->frames > 0; }
