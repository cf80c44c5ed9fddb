/* SPDX-License-Identifier: MIT */
#include "tracy/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/host_clock.h"
#include "tracy/published.h"

#define THREAD_NAME_BYTES 256
#define UNKNOWN "???"
#define LATE_SOURCE_MS 5000

void tracy_answers_begin(struct tracy_answers *a) {
    a->places.first = a->places.count = 0;
    a->names.first = a->names.count = 0;
    a->threads.first = a->threads.count = 0;
    a->frames.first = a->frames.count = 0;
    a->transfer.size = a->transfer.used = 0;
    a->late_count = 0;
    a->newer_said = false;
}

static struct tracy_stream *stream_of(struct tracy_answers *a) { return &a->encode->stream; }

static void give_place(struct tracy_answers *a, uint64_t key) {
    struct tracy_names *names = &a->encode->names;
    const struct site *site;
    struct tracy_source_location location = {0};
    if (tracy_names_find_place(names, key, &site) == TRACY_NOT_A_KEY || site == NULL) {
        location.function = tracy_names_text(names, site == NULL ? "too many places" : UNKNOWN);
        location.file = tracy_names_text(names, UNKNOWN);
    } else {
        bool own_name = strcmp(site->name, site->function) != 0;
        location.name = own_name ? tracy_names_text(names, site->name) : 0;
        location.function =
            tracy_names_text(names, site->function[0] != '\0' ? site->function : site->name);
        location.file = tracy_names_text(names, site->file);
        location.line = site->line;
        location.color = site->color & 0xffffffu;
    }
    tracy_put_source_location(stream_of(a), &location);
}

static void give_text(struct tracy_answers *a, enum tracy_item item, uint64_t key) {
    const char *text = UNKNOWN;
    size_t length = sizeof UNKNOWN - 1;
    (void)tracy_names_find_text(&a->encode->names, key, &text, &length);
    tracy_put_transfer(stream_of(a), item, key, text, length);
}

static void give_thread(struct tracy_answers *a, uint64_t id) {
    char name[THREAD_NAME_BYTES] = UNKNOWN;
    int32_t hint = 0;
    bool known =
        id <= UINT32_MAX && tracy_encode_thread(a->encode, (uint32_t)id, name, sizeof name, &hint);
    tracy_put_transfer(stream_of(a), TRACY_THREAD_NAME, id, name, strlen(name));
    if (known) {
        tracy_put_thread_group(stream_of(a), (uint32_t)id, hint);
    }
}

static void give_external(struct tracy_answers *a, uint64_t id) {
    char name[THREAD_NAME_BYTES] = UNKNOWN;
    int32_t hint = 0;
    if (id <= UINT32_MAX) {
        (void)tracy_encode_thread(a->encode, (uint32_t)id, name, sizeof name, &hint);
    }
    const char *image = a->encode->image;
    tracy_put_transfer(stream_of(a), TRACY_EXTERNAL_THREAD_NAME, id, name, strlen(name));
    tracy_put_transfer(stream_of(a), TRACY_EXTERNAL_NAME, id, image, strlen(image));
}

static const char *image_of(const struct tracy_answers *a) {
    return a->encode->image[0] != '\0' ? a->encode->image : UNKNOWN;
}

static void give(struct tracy_answers *a, const struct tracy_question *question) {
    switch (question->query) {
    case TRACY_QUERY_SOURCE_LOCATION:
        give_place(a, question->key);
        return;
    case TRACY_QUERY_THREAD_STRING:
        give_thread(a, question->key);
        return;
    case TRACY_QUERY_PLOT_NAME:
        give_text(a, TRACY_PLOT_NAME, question->key);
        return;
    case TRACY_QUERY_FRAME_NAME:
        give_text(a, TRACY_FRAME_NAME, question->key);
        return;
    case TRACY_QUERY_FIBER_NAME:
        give_text(a, TRACY_FIBER_NAME, question->key);
        return;
    case TRACY_QUERY_EXTERNAL_NAME:
        give_external(a, question->key);
        return;
    case TRACY_QUERY_CALLSTACK_FRAME:
        tracy_callstacks_frame(&a->encode->callstacks, stream_of(a), image_of(a), question->key);
        return;
    case TRACY_QUERY_SYMBOL:
        tracy_callstacks_symbol(&a->encode->callstacks, stream_of(a), question->key);
        return;
    default:
        give_text(a, TRACY_STRING_DATA, question->key);
        return;
    }
}

static bool is_of_thread(enum tracy_query query) {
    return query == TRACY_QUERY_THREAD_STRING || query == TRACY_QUERY_EXTERNAL_NAME;
}

static void take_first(struct tracy_waiting *waiting) {
    waiting->first = (waiting->first + 1) % TRACY_WAITING_MAX;
    waiting->count--;
}

static bool has_come(const struct tracy_answers *a, const struct tracy_question *question) {
    const struct tracy_names *names = &a->encode->names;
    const struct site *site;
    const char *text;
    size_t length;
    if (question->query == TRACY_QUERY_SOURCE_LOCATION) {
        return tracy_names_find_place(names, question->key, &site) != TRACY_NOT_YET;
    }
    if (is_of_thread(question->query)) {
        return a->encode->names_complete;
    }
    return tracy_names_find_text(names, question->key, &text, &length) != TRACY_NOT_YET;
}

static bool work_off(struct tracy_answers *a, struct tracy_waiting *waiting, int64_t now_ms,
                     bool all) {
    bool any = false;
    while (waiting->count > 0) {
        const struct tracy_question *question = &waiting->questions[waiting->first];
        if (!all && now_ms < question->due_ms && !has_come(a, question)) {
            break;
        }
        give(a, question);
        take_first(waiting);
        any = true;
    }
    return any;
}

static bool is_known(struct tracy_answers *a, const struct tracy_question *question) {
    return question->query == TRACY_QUERY_SYMBOL
               ? tracy_callstacks_has_symbol(&a->encode->callstacks, question->key)
               : tracy_callstacks_has_frame(&a->encode->callstacks, question->key);
}

static bool work_off_frames(struct tracy_answers *a) {
    const uint64_t until_ns = host_monotonic_ns() + TRACY_FRAMES_NS;
    bool any = false;
    while (a->frames.count > 0 && host_monotonic_ns() < until_ns &&
           is_known(a, &a->frames.questions[a->frames.first])) {
        give(a, &a->frames.questions[a->frames.first]);
        take_first(&a->frames);
        any = true;
    }
    return any;
}

static bool give_published(struct tracy_answers *a, uint32_t id, const char *name) {
    const struct tracy_published_file *file =
        a->published != NULL ? tracy_published_find(a->published, name) : NULL;
    if (file != NULL) {
        tracy_put_long_transfer(stream_of(a), TRACY_SOURCE_CODE, id, file->text, file->length);
    }
    return file != NULL;
}

static bool work_off_sources(struct tracy_answers *a, int64_t now_ms, bool all) {
    const uint32_t before = a->late_count;
    for (uint32_t i = 0; i < a->late_count;) {
        const struct tracy_late_source *late = &a->late[i];
        const bool given = give_published(a, late->id, late->name);
        if (!given && !all && now_ms < late->due_ms) {
            i++;
            continue;
        }
        if (!given) {
            tracy_put_no_source_code(stream_of(a), late->id);
        }
        a->late[i] = a->late[--a->late_count];
    }
    return a->late_count != before;
}

/* False: none can wait. */
static bool wait_for_source(struct tracy_answers *a, uint32_t id, int64_t now_ms) {
    struct tracy_late_source *late = &a->late[a->late_count];
    if (a->published == NULL || a->late_count == TRACY_LATE_SOURCES_MAX ||
        a->transfer.size > sizeof late->name) {
        return false;
    }
    late->id = id;
    late->due_ms = now_ms + LATE_SOURCE_MS;
    memcpy(late->name, a->transfer.text, (size_t)a->transfer.size);
    a->late_count++;
    return true;
}

bool tracy_answer_waiting(struct tracy_answers *a, int64_t now_ms, bool all) {
    bool places = work_off(a, &a->places, now_ms, all);
    bool threads = work_off(a, &a->threads, now_ms, all);
    bool frames = work_off_frames(a);
    bool sources = work_off_sources(a, now_ms, all);
    return work_off(a, &a->names, now_ms, all) || places || threads || frames || sources;
}

static int wait_for_name(struct tracy_answers *a, enum tracy_query query, uint64_t key,
                         int64_t now_ms) {
    bool thread = is_of_thread(query);
    struct tracy_waiting *waiting = query == TRACY_QUERY_SOURCE_LOCATION ? &a->places
                                    : thread                             ? &a->threads
                                                                         : &a->names;
    int64_t due_ms = now_ms + (thread ? TRACY_THREAD_PATIENCE_MS : TRACY_NAME_PATIENCE_MS);
    if (waiting->count == TRACY_WAITING_MAX) {
        (void)work_off(a, waiting, now_ms, true);
    }
    uint32_t at = (waiting->first + waiting->count++) % TRACY_WAITING_MAX;
    waiting->questions[at] = (struct tracy_question){query, key, due_ms};
    (void)work_off(a, waiting, now_ms, false);
    return 0;
}

/* At once where a look-up never waits, or none can be waited for any more. A viewer asks for many at a time: they are
 * looked at when all of them are here. */
static int wait_for_frame(struct tracy_answers *a, enum tracy_query query, uint64_t key) {
    const struct symbols *symbols = a->encode->callstacks.symbols;
    const struct tracy_question question = {.query = query, .key = key};
    if (symbols == NULL || symbols->is_ready == NULL || a->frames.count == TRACY_WAITING_MAX) {
        give(a, &question);
    } else {
        a->frames.questions[(a->frames.first + a->frames.count++) % TRACY_WAITING_MAX] = question;
    }
    return 0;
}

static void parameter(struct tracy_answers *a, uint64_t packed) {
    if (a->set_param != NULL) {
        a->set_param(a->context, (uint32_t)(packed >> 32), (int32_t)(uint32_t)packed);
    }
    tracy_put_item(stream_of(a), TRACY_ACK_SERVER_QUERY_NOOP, &(struct tracy_fields){0});
}

/* A name follows. Where two do, the first is that of a library, which no board has. */
static void begin_transfer(struct tracy_answers *a, uint64_t size) {
    a->transfer.size = size;
    a->transfer.used = 0;
    tracy_put_item(stream_of(a), TRACY_ACK_SERVER_QUERY_NOOP, &(struct tracy_fields){0});
}

static void go_on_transfer(struct tracy_answers *a, uint64_t eight, uint32_t four) {
    struct tracy_transfer *t = &a->transfer;
    for (unsigned i = 0; i < 12 && t->used < t->size; i++, t->used++) {
        uint64_t byte = i < 8 ? eight >> (8 * i) : (uint64_t)four >> (8 * (i - 8));
        if (t->used < sizeof t->text) {
            t->text[t->used] = (char)(uint8_t)byte;
        }
    }
    tracy_put_item(stream_of(a), TRACY_ACK_SERVER_QUERY_NOOP, &(struct tracy_fields){0});
}

static bool is_whole(const struct tracy_transfer *t) {
    return t->size > 1 && t->used == t->size && t->size <= sizeof t->text &&
           memchr(t->text, 0, (size_t)t->size) == t->text + t->size - 1;
}

static void say_newer(struct tracy_answers *a, const char *name) {
    char text[200];
    if (!a->newer_said && a->notice != NULL) {
        (void)snprintf(text, sizeof text,
                       "Tracy: the viewer does not get %.120s: it was changed after the capture",
                       name);
        a->notice(a->context, text);
        a->newer_said = true;
    }
}

/* Only files that the board has named, whatever a viewer asks for. */
static void source_code(struct tracy_answers *a, uint32_t id, int64_t now_ms) {
    int length = -ENOENT;
    const bool known =
        is_whole(&a->transfer) && tracy_names_has_file(&a->encode->names, a->transfer.text);
    const bool given = known && give_published(a, id, a->transfer.text);
    if (known && !given && a->folders != NULL) {
        length = tracy_source_read(a->folders, a->transfer.text, a->sources_before_s, a->source);
    }
    if (length == -ESTALE) {
        say_newer(a, a->transfer.text);
    }
    if (length >= 0) {
        tracy_put_long_transfer(stream_of(a), TRACY_SOURCE_CODE, id, a->source, (size_t)length);
    } else if (!given && !(known && wait_for_source(a, id, now_ms))) {
        tracy_put_no_source_code(stream_of(a), id);
    }
    a->transfer.size = a->transfer.used = 0;
}

int tracy_answer(struct tracy_answers *a, enum tracy_query query, uint64_t key, uint32_t extra,
                 int64_t now_ms) {
    switch (query) {
    case TRACY_QUERY_SOURCE_LOCATION:
    case TRACY_QUERY_STRING:
    case TRACY_QUERY_THREAD_STRING:
    case TRACY_QUERY_PLOT_NAME:
    case TRACY_QUERY_FRAME_NAME:
    case TRACY_QUERY_FIBER_NAME:
    case TRACY_QUERY_EXTERNAL_NAME:
        return wait_for_name(a, query, key, now_ms);
    case TRACY_QUERY_PARAMETER:
        parameter(a, key);
        return 0;
    case TRACY_QUERY_CALLSTACK_FRAME:
    case TRACY_QUERY_SYMBOL:
        return wait_for_frame(a, query, key);
    case TRACY_QUERY_SYMBOL_CODE:
        tracy_callstacks_code(&a->encode->callstacks, stream_of(a), key, extra);
        return 0;
    case TRACY_QUERY_SOURCE_CODE:
        source_code(a, (uint32_t)key, now_ms);
        return 0;
    case TRACY_QUERY_DATA_TRANSFER:
        begin_transfer(a, key);
        return 0;
    case TRACY_QUERY_DATA_TRANSFER_PART:
        go_on_transfer(a, key, extra);
        return 0;
    default:
        return -EPROTO;
    }
}
