/* SPDX-License-Identifier: MIT */
#include "tracy/pictures.h"

#include <stdlib.h>
#include <string.h>

#include "kymo/wire.h"
#include "model/large.h"
#include "tracy/tracks.h"

#define FIRST_BYTES 65536u

static void forget_file(struct tracy_pictures *p) {
    free(p->file);
    p->file = NULL;
    p->id = 0;
    p->used = p->capacity = 0;
}

void tracy_pictures_free(struct tracy_pictures *p) {
    forget_file(p);
    for (uint32_t i = 0; i < TRACY_PICTURES_WAITING; i++) {
        free(p->ready[i].picture.data);
    }
    *p = (struct tracy_pictures){0};
}

void tracy_pictures_restart(struct tracy_pictures *p) {
    const uint64_t newest = p->newest, have = p->have;
    tracy_pictures_free(p);
    p->newest = newest;
    p->have = have;
}

/* Marks that the frame has a picture; false if it has one already, or if the frame is too old to know. */
static bool take_frame(struct tracy_pictures *p, uint64_t frame) {
    const uint64_t distance = frame > p->newest ? frame - p->newest : p->newest - frame;
    if (frame > p->newest) {
        p->have = distance < 64 ? p->have << distance : 0;
        p->newest = frame;
    } else if (distance >= 64 || (p->have >> distance & 1u) != 0) {
        return false;
    }
    p->have |= UINT64_C(1) << (p->newest - frame);
    return true;
}

/* A viewer has two frames before the first that it shows, and refuses an image of these. Its last frame is that of the
 * last mark: none is named that it does not have. */
static void put(struct tracy_pictures *p, const struct tracy_picture_output *out,
                const struct tracy_picture *picture, uint64_t marks) {
    if (picture->back > marks || out->frames_before + 1 + marks > UINT32_MAX) {
        return; /* of a frame before this viewer; or the viewer cannot number so many */
    }
    const uint64_t frame = marks - picture->back;
    if (take_frame(p, frame)) {
        tracy_put_picture(out->stream, (uint32_t)(out->frames_before + 1 + frame), picture);
    } else {
        out->repaired(out->context, TRACY_THREAD_LOST, out->now_ns, TRACY_REPAIR_FRAME_PICTURE);
    }
}

static bool is_image(const struct event *event) {
    return event->kind == EVENT_LARGE && event->u.large.type == KYMO_LARGE_IMAGE;
}

bool tracy_picture_event(const struct event *event) {
    static const char *const ends[] = {".pam", ".ppm", ".pgm"};
    const size_t length = is_image(event) ? strlen(event->u.large.name) : 0;
    bool any = false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && length >= 4; i++) {
        any |= strcmp(event->u.large.name + length - 4, ends[i]) == 0;
    }
    return any;
}

void tracy_pictures_event(struct tracy_pictures *p, const struct tracy_picture_output *out,
                          const struct event *event) {
    const uint64_t id = is_image(event) ? event->u.large.id : 0;
    if (id == 0) {
        return;
    }
    for (uint32_t i = 0; i < TRACY_PICTURES_WAITING; i++) {
        struct tracy_picture_ready *ready = &p->ready[i];
        if (ready->id == id) {
            put(p, out, &ready->picture, out->marks);
            free(ready->picture.data);
            *ready = (struct tracy_picture_ready){0};
            return;
        }
    }
    p->events[p->next_event++ % TRACY_PICTURES_WAITING] =
        (struct tracy_picture_event){.id = id, .marks = out->marks};
}

static void keep(struct tracy_pictures *p, uint64_t id, const struct tracy_picture *picture) {
    struct tracy_picture_ready *ready = &p->ready[p->next_ready++ % TRACY_PICTURES_WAITING];
    free(ready->picture.data);
    *ready = (struct tracy_picture_ready){.id = id, .picture = *picture};
}

/* All of a file has come. */
static void complete(struct tracy_pictures *p, const struct tracy_picture_output *out,
                     uint64_t id) {
    struct tracy_picture picture;
    const int error = tracy_picture_make(&picture, p->file, p->used);
    forget_file(p);
    if (error != 0) {
        return; /* of another format, or memory is short: it is a file with --large all the same */
    }
    for (uint32_t i = 0; i < TRACY_PICTURES_WAITING; i++) {
        if (p->events[i].id == id) {
            put(p, out, &picture, p->events[i].marks);
            p->events[i].id = 0;
            free(picture.data);
            return;
        }
    }
    keep(p, id, &picture);
}

/* Grows with the bytes received, not with the announced size. */
static bool append(struct tracy_pictures *p, const uint8_t *bytes, size_t length) {
    size_t capacity = p->capacity != 0 ? p->capacity : FIRST_BYTES;
    while (capacity < p->used + length) {
        capacity *= 2;
    }
    uint8_t *file = capacity > p->capacity ? realloc(p->file, capacity) : p->file;
    if (file == NULL) {
        return false;
    }
    p->file = file;
    p->capacity = capacity;
    memcpy(p->file + p->used, bytes, length);
    p->used += length;
    return true;
}

void tracy_pictures_receive(struct tracy_pictures *p, const struct tracy_picture_output *out,
                            const struct large *large, const uint8_t *bytes, size_t length) {
    if (large->type != KYMO_LARGE_IMAGE) {
        return;
    }
    if (length != 0 && large->received == length) {
        forget_file(p);
        p->id = large->id;
    }
    if (p->id != large->id) {
        return; /* its begin was not here */
    }
    if (length != 0 && !append(p, bytes, length)) {
        forget_file(p);
    } else if (large->end == LARGE_WHOLE) {
        complete(p, out, large->id);
    } else if (large->end != LARGE_GOES_ON) {
        forget_file(p);
    }
}
