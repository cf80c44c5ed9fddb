/* SPDX-License-Identifier: MIT */
/* Encodes resolved events as items for a viewer. Open zones, rows and application information are
 * kept also while no viewer is connected, so that later viewers see them. */
#ifndef HOSTLINK_TRACY_ENCODE_H
#define HOSTLINK_TRACY_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracy/allocations.h"
#include "tracy/callstacks.h"
#include "tracy/cores.h"
#include "tracy/frame_sets.h"
#include "tracy/gpu.h"
#include "tracy/locks.h"
#include "tracy/names.h"
#include "tracy/pictures.h"
#include "tracy/repair.h"
#include "tracy/stream.h"
#include "tracy/tracks.h"

/* The crash of the board's program: a message of KYMO_LEVEL_CRASH. A viewer shows the first one by itself; zones
 * open at that time stay open. All zero: there was none. */
struct tracy_crash {
    uint64_t text; /* key of the message, 0 = none */
    int64_t time_ns;
    uint32_t thread;
    bool leaves_open; /* until the program starts again, with rows of its own */
};

#define TRACY_APP_INFO_MAX 32 /* lines kept for later viewers; the oldest go */
#define TRACY_PARAMS_MAX 1024
#define TRACY_IMAGE_BYTES 64

struct tracy_app_info {
    int64_t time_ns;
    char *text;
    size_t length;
};

struct tracy_param {
    uint32_t index;
    int32_t value;
    bool is_switch; /* 0 or 1 */
    const char *name;
};

struct board_info;
struct large;

struct tracy_encode {
    /* The board's state. */
    struct tracy_names names;
    struct tracy_tracks tracks;
    struct tracy_cores cores;
    struct tracy_locks locks;
    struct tracy_gpus gpus;
    struct tracy_repairs repairs;
    struct tracy_callstacks callstacks;
    struct tracy_crash crash;
    struct tracy_app_info infos[TRACY_APP_INFO_MAX];
    size_t info_count;
    struct tracy_param *params;
    size_t param_count;
    struct intmap param_numbers;   /* by index: its number + 1 */
    char image[TRACY_IMAGE_BYTES]; /* program name, "" = not known */
    bool has_session;
    const struct board_info *info; /* of the session, may grow; NULL: n/a */
    uint64_t clock_hz;
    int64_t epoch_ns;    /* Unix time of the start, 0 = not known */
    int64_t now_ns;      /* the latest time of all */
    bool names_complete; /* nothing is learned later: all of it was read before */
    bool lanes_are_no_cores;
    uint64_t sample_period_ns;                        /* of the last sample, 0 = not known */
    uint64_t frames;                                  /* marks of the main set */
    uint64_t events, zones;                           /* given to viewers */
    const struct event_board *board[TRACY_CORES_MAX]; /* that lost something on the core */
    int64_t lost_ns[TRACY_CORES_MAX];                 /* end of the last loss shown on a core */

    /* The viewer's state. */
    bool connected;
    int64_t base_ns;        /* the viewer's time 0 */
    uint64_t frames_before; /* marks of the main set before it came */
    struct tracy_allocations allocations;
    struct tracy_frame_sets frame_sets;
    struct tracy_pictures pictures;
    struct tracy_stream stream;
};

/* All zero is ready for use; it is large, so take it from calloc(). */
void tracy_encode_free(struct tracy_encode *encode);

/* Time 0 of a viewer that comes now: the start of the trace, unless that is too long ago. */
int64_t tracy_encode_base(const struct tracy_encode *encode);
/* A viewer has got its welcome: sends it the present state. Returns 0 or -errno. */
int tracy_encode_begin(struct tracy_encode *encode, const struct tracy_proto *proto,
                       int64_t base_ns, tracy_frame_sink *sink, void *context);
/* The viewer is gone. */
void tracy_encode_stop(struct tracy_encode *encode);

/* Returns 0, -ENOMEM, the error of the stream's sink, or -EOVERFLOW when the viewer cannot hold the time. */
int tracy_encode_event(struct tracy_encode *encode, const struct event *event);
/* A value that may be set; the name must stay valid. 0 or -ENOMEM. */
int tracy_encode_param(struct tracy_encode *encode, const struct tracy_param *param);
/* Like large_receive() in model/large.h; the viewer gets pictures. Returns 0 or the stream's error. */
int tracy_encode_large(struct tracy_encode *encode, const struct large *large, const uint8_t *bytes,
                       size_t length);
/* Used at the begin: memory and frames go to this stream. */
void tracy_encode_wire(struct tracy_encode *encode);
/* A zone of the row ends at the viewer, which is there. */
void tracy_encode_zone_end(struct tracy_encode *encode, struct tracy_track *track, int64_t time_ns);
/* Where the items of locks go. */
struct tracy_lock_output tracy_encode_lock_output(struct tracy_encode *encode);
/* End of the trace: closes all open zones. Returns 0 or -errno. */
int tracy_encode_end(struct tracy_encode *encode);

/* Name of a thread; false if no thread has this id. "hint" groups threads by core. */
bool tracy_encode_thread(const struct tracy_encode *encode, uint32_t thread, char *name,
                         size_t size, int32_t *hint);

/* The crash, for a viewer that comes later. */
void tracy_crash_send_again(struct tracy_encode *encode);
/* Lets the viewer end although zones are open. */
void tracy_crash_end(struct tracy_encode *encode);

#endif
