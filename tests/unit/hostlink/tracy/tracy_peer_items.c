/* SPDX-License-Identifier: MIT */
/* A viewer's handling of each item, and its assertions. */
#include "tracy_peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables of the viewer ---- */

static struct peer_name *find_name(struct tracy_peer *peer, enum tracy_query query, uint64_t key) {
    for (size_t i = 0; i < peer->name_count; i++) {
        if (peer->names[i].query == query && peer->names[i].key == key) {
            return &peer->names[i];
        }
    }
    return NULL;
}

/* A viewer asks once for a key as a name of each kind. */
bool tracy_peer_want_name(struct tracy_peer *peer, enum tracy_query query, uint64_t key) {
    if (key == 0) {
        return tracy_peer_fail(peer, "key 0 as a name of kind %d", (int)query);
    }
    if (find_name(peer, query, key) != NULL) {
        return true;
    }
    if (peer->name_count == PEER_NAMES) {
        return tracy_peer_fail(peer, "too many names for this test");
    }
    peer->names[peer->name_count++] = (struct peer_name){.query = query, .key = key};
    peer->name_open++;
    tracy_peer_ask(peer, query, key);
    return true;
}

static bool take_name(struct tracy_peer *peer, enum tracy_query query, uint64_t key,
                      const uint8_t *text, size_t length) {
    struct peer_name *name = find_name(peer, query, key);
    if (name == NULL || name->answered) {
        return tracy_peer_fail(peer, "answer of kind %d to no question", (int)query);
    }
    name->answered = true;
    name->text = malloc(length + 1);
    if (name->text == NULL) {
        abort();
    }
    memcpy(name->text, text, length);
    name->text[length] = '\0';
    peer->name_open--;
    return true;
}

static struct peer_thread *find_thread(struct tracy_peer *peer, uint32_t id) {
    for (size_t i = 0; i < peer->thread_count; i++) {
        if (peer->threads[i].id == id) {
            return &peer->threads[i];
        }
    }
    return NULL;
}

struct peer_thread *tracy_peer_thread(struct tracy_peer *peer, uint32_t id) {
    struct peer_thread *thread = find_thread(peer, id);
    if (id == 0 || (thread == NULL && peer->thread_count == PEER_THREADS)) {
        tracy_peer_fail(peer, id == 0 ? "event without a thread" : "too many threads");
        return NULL;
    }
    if (thread == NULL) {
        thread = &peer->threads[peer->thread_count++];
        thread->id = id;
        if (!tracy_peer_want_name(peer, TRACY_QUERY_THREAD_STRING, id)) {
            return NULL;
        }
    }
    return thread;
}

struct peer_place *tracy_peer_place_of(struct tracy_peer *peer, uint64_t key) {
    for (size_t i = 0; i < peer->place_count; i++) {
        if (peer->places[i].key == key) {
            return &peer->places[i];
        }
    }
    if (key == 0 || key == UINT64_MAX || peer->place_count == PEER_PLACES) {
        tracy_peer_fail(peer, "bad source location");
        return NULL;
    }
    peer->places[peer->place_count] = (struct peer_place){.key = key};
    tracy_peer_ask(peer, TRACY_QUERY_SOURCE_LOCATION, key);
    return &peer->places[peer->place_count++];
}

/* ---- time ---- */

/* A time as the viewer stores it: from its zero, in 47 bits. */
bool tracy_peer_good_time(struct tracy_peer *peer, int64_t time_ns) {
    return (time_ns >= peer->base_ns && time_ns - peer->base_ns < TRACY_TIME_LIMIT_NS) ||
           tracy_peer_fail(peer, "time %lld", (long long)time_ns);
}

bool tracy_peer_advance(struct tracy_peer *peer, int64_t *reference, uint64_t delta,
                        int64_t *time_ns) {
    *reference = (int64_t)((uint64_t)*reference + delta);
    *time_ns = *reference;
    return tracy_peer_good_time(peer, *time_ns);
}

/* The longer forms of a packed time count from where the shorter ones end. */
static uint64_t packed_delta(const struct tracy_peer *peer, enum tracy_item item,
                             enum tracy_item base, const uint8_t *at) {
    if (item == base + 2) {
        return tracy_peer_load(at, 2);
    }
    if (item == base + 1) {
        return tracy_peer_load(at, 4) + 65536;
    }
    uint64_t value = tracy_peer_load(at, 8);
    return peer->proto.packed_deltas && (int64_t)value >= 0 ? value + 65536 + 4294967296u : value;
}

/* From protocol 82 on the thread stands first. */
static bool sample(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    const bool is_new = peer->proto.packed_deltas;
    const uint64_t delta = packed_delta(peer, item, TRACY_CALLSTACK_SAMPLE, is_new ? at + 4 : at);
    const uint32_t thread = (uint32_t)tracy_peer_load(is_new ? at : at + 8, 4);
    int64_t time_ns;
    return tracy_peer_advance(peer, &peer->switch_ref, delta, &time_ns) &&
           tracy_peer_sample(peer, thread, time_ns);
}

/* ---- slots ---- */

bool tracy_peer_use_string(struct tracy_peer *peer) {
    if (!peer->has_string) {
        return tracy_peer_fail(peer, "item without its string");
    }
    peer->has_string = false;
    return true;
}

static bool give_string(struct tracy_peer *peer, bool second, const uint8_t *text, size_t length) {
    bool *slot = second ? &peer->has_second : &peer->has_string;
    if (*slot) {
        return tracy_peer_fail(peer, "two strings in a row");
    }
    *slot = true;
    if (!second) {
        memcpy(peer->string, text, length);
        peer->string[length] = '\0';
        peer->string_length = length;
    } else {
        memcpy(peer->second, text, length);
        peer->second[length] = '\0';
        peer->second_length = length;
    }
    return true;
}

/* ---- zones ---- */

static bool zone_begin(struct tracy_peer *peer, uint64_t delta, uint64_t key) {
    struct peer_thread *thread = tracy_peer_thread(peer, peer->thread_id);
    struct peer_place *place = tracy_peer_place_of(peer, key);
    int64_t time_ns;
    if (thread == NULL || place == NULL ||
        !tracy_peer_advance(peer, &peer->thread_ref, delta, &time_ns)) {
        return false;
    }
    if (time_ns < thread->last_ns || thread->depth == PEER_DEPTH) {
        return tracy_peer_fail(peer, "zone begins before the last event of its thread");
    }
    if (thread->depth == thread->capacity) {
        thread->capacity += thread->capacity + 16;
        thread->zones = realloc(thread->zones, thread->capacity * sizeof *thread->zones);
        if (thread->zones == NULL) {
            abort();
        }
    }
    thread->last_ns = time_ns;
    thread->zones[thread->depth++] = (struct peer_zone){time_ns, place};
    return true;
}

static bool zone_end(struct tracy_peer *peer, uint64_t delta) {
    struct peer_thread *thread = tracy_peer_thread(peer, peer->thread_id);
    int64_t time_ns;
    if (thread == NULL || !tracy_peer_advance(peer, &peer->thread_ref, delta, &time_ns)) {
        return false;
    }
    if (thread->depth == 0 || time_ns < thread->last_ns) {
        return tracy_peer_fail(peer, thread->depth == 0 ? "zone ended twice" : "zone ends early");
    }
    struct peer_zone *zone = &thread->zones[--thread->depth];
    thread->last_ns = time_ns;
    zone->place->count++;
    zone->place->total_ns += time_ns - zone->start_ns;
    peer->counts.zones++;
    return true;
}

static bool zone_attribute(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    struct peer_thread *thread = find_thread(peer, peer->thread_id);
    bool text = item == TRACY_ZONE_TEXT || item == TRACY_ZONE_NAME;
    if ((text && !tracy_peer_use_string(peer)) || thread == NULL || thread->depth == 0) {
        return tracy_peer_fail(peer, "text, value or colour without a zone");
    }
    peer->counts.texts += item == TRACY_ZONE_TEXT;
    peer->counts.names += item == TRACY_ZONE_NAME;
    peer->counts.values += item == TRACY_ZONE_VALUE;
    peer->counts.colors += item == TRACY_ZONE_COLOR;
    peer->zone_color =
        item == TRACY_ZONE_COLOR ? (uint32_t)tracy_peer_load(at, 3) : peer->zone_color;
    return true;
}

/* ---- messages, plots, frames, memory ---- */

static bool message(struct tracy_peer *peer, const uint8_t *at, size_t size) {
    if (!tracy_peer_use_string(peer) || tracy_peer_thread(peer, peer->thread_id) == NULL ||
        !tracy_peer_good_time(peer, (int64_t)tracy_peer_load(at, 8))) {
        return false;
    }
    uint8_t metadata = peer->proto.message_metadata ? at[size - 1] : 0;
    if (metadata >> 4 > 5 || (metadata & 15) > 1) {
        return tracy_peer_fail(peer, "metadata %u", metadata);
    }
    peer->counts.levels[metadata >> 4] += peer->proto.message_metadata;
    peer->color = size >= 11 ? (uint32_t)tracy_peer_load(at + 8, 3) : 0;
    peer->counts.messages++;
    if (peer->message != NULL) {
        peer->message(peer->context, peer->string);
    }
    return true;
}

static bool plot(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    int64_t time_ns;
    double real = 0;
    if (item == TRACY_PLOT_DATA_DOUBLE) {
        memcpy(&real, at + 16, sizeof real);
    } else if (item == TRACY_PLOT_DATA_FLOAT) {
        float single;
        memcpy(&single, at + 16, sizeof single);
        real = (double)single;
    }
    if (!isfinite(real)) {
        return tracy_peer_fail(peer, "plot of what is no number");
    }
    peer->counts.plots++;
    return tracy_peer_want_name(peer, TRACY_QUERY_PLOT_NAME, tracy_peer_load(at, 8)) &&
           tracy_peer_advance(peer, &peer->thread_ref, tracy_peer_load(at + 8, 8), &time_ns);
}

static bool crash_report(struct tracy_peer *peer, const uint8_t *at) {
    if (peer->crash != 0 || !tracy_peer_good_time(peer, (int64_t)tracy_peer_load(at, 8))) {
        return tracy_peer_fail(peer, "second report of a crash");
    }
    peer->crash = tracy_peer_load(at + 8, 8);
    peer->crash_thread = peer->thread_id;
    return tracy_peer_want_name(peer, TRACY_QUERY_STRING, peer->crash);
}

static bool frame_mark(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    int64_t time_ns = (int64_t)tracy_peer_load(at, 8);
    uint64_t key = tracy_peer_load(at + 8, 8);
    bool spans = item != TRACY_FRAME_MARK_MSG, start = item == TRACY_FRAME_MARK_MSG_START;
    size_t i = 0;
    while (i < peer->frame_count && peer->frames[i].key != key) {
        i++;
    }
    if (i == PEER_SETS || !tracy_peer_good_time(peer, time_ns)) {
        return tracy_peer_fail(peer, "too many sets of frames");
    }
    struct peer_frames *set = &peer->frames[i];
    if (i == peer->frame_count) {
        *set = (struct peer_frames){.key = key, .spans = spans};
        peer->frame_count++;
        if (!tracy_peer_want_name(peer, TRACY_QUERY_FRAME_NAME, key)) {
            return false;
        }
    }
    if (set->spans != spans || time_ns < set->last_ns || (spans && start == set->open)) {
        return tracy_peer_fail(peer, "frame mark that does not fit");
    }
    set->last_ns = time_ns;
    set->open = start;
    peer->main_marks += key == 0;
    ++*(!spans  ? &peer->counts.frames
        : start ? &peer->counts.frame_starts
                : &peer->counts.frame_ends);
    return true;
}

/* ---- answers ---- */

static bool source_location(struct tracy_peer *peer, const uint8_t *at) {
    if (peer->place_next == peer->place_count) {
        return tracy_peer_fail(peer, "source location without a question");
    }
    struct peer_place *place = &peer->places[peer->place_next++];
    place->name = tracy_peer_load(at, 8);
    place->function = tracy_peer_load(at + 8, 8);
    place->file = tracy_peer_load(at + 16, 8);
    place->line = (uint32_t)tracy_peer_load(at + 24, 4);
    place->color = (uint32_t)tracy_peer_load(at + 28, 3);
    place->answered = true;
    const char *file = tracy_peer_text(peer, TRACY_QUERY_STRING, place->file);
    if (file != NULL) {
        tracy_peer_want_source(peer, file);
    }
    return (place->name == 0 || tracy_peer_want_name(peer, TRACY_QUERY_STRING, place->name)) &&
           tracy_peer_want_name(peer, TRACY_QUERY_STRING, place->file) &&
           tracy_peer_want_name(peer, TRACY_QUERY_STRING, place->function);
}

static size_t long_transfer(struct tracy_peer *peer, enum tracy_item item, const uint8_t *bytes,
                            size_t length) {
    size_t count = length < 13 ? length : tracy_peer_load(bytes + 9, 4);
    const bool whole = length >= 13 && length - 13 >= count;
    const uint64_t key = whole ? tracy_peer_load(bytes + 1, 8) : 0;
    const uint8_t *content = bytes + 13;
    const bool good =
        item == TRACY_FRAME_IMAGE_DATA ? whole && tracy_peer_picture_data(peer, content, count)
        : item == TRACY_SYMBOL_CODE    ? whole && tracy_peer_code(peer, key, content, count)
        : item == TRACY_SOURCE_CODE    ? whole && tracy_peer_take_source(peer, key, content, count)
                                       : false;
    return good ? 13 + count : 0;
}

static bool transfer(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at,
                     size_t length) {
    uint64_t key = tracy_peer_load(at, 8);
    switch (item) {
    case TRACY_STRING_DATA:
        return take_name(peer, TRACY_QUERY_STRING, key, at + 10, length) &&
               tracy_peer_named(peer, key);
    case TRACY_CALLSTACK_PAYLOAD:
        return tracy_peer_payload(peer, at + 10, length);
    case TRACY_EXTERNAL_NAME:
    case TRACY_EXTERNAL_THREAD_NAME:
        return tracy_peer_external_name(peer, key, item == TRACY_EXTERNAL_THREAD_NAME);
    case TRACY_THREAD_NAME:
        return take_name(peer, TRACY_QUERY_THREAD_STRING, key, at + 10, length);
    case TRACY_PLOT_NAME:
        return take_name(peer, TRACY_QUERY_PLOT_NAME, key, at + 10, length);
    case TRACY_FRAME_NAME:
        return take_name(peer, TRACY_QUERY_FRAME_NAME, key, at + 10, length);
    default:
        return tracy_peer_fail(peer, "transfer %d, which nobody asked for", (int)item);
    }
}

/* ---- items ---- */

static bool plain_item(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    int64_t time_ns;
    switch (item) {
    case TRACY_THREAD_CONTEXT:
        peer->thread_id = (uint32_t)tracy_peer_load(at, 4);
        peer->thread_ref = 0;
        return true;
    case TRACY_ZONE_BEGIN:
    case TRACY_ZONE_BEGIN32:
    case TRACY_ZONE_BEGIN16:
        return zone_begin(peer, packed_delta(peer, item, TRACY_ZONE_BEGIN, at),
                          tracy_peer_load(at + peer->proto.size_of[item] - 8, 8));
    case TRACY_ZONE_BEGIN_CALLSTACK:
    case TRACY_ZONE_BEGIN_CALLSTACK32:
    case TRACY_ZONE_BEGIN_CALLSTACK16:
        return tracy_peer_use_calls(peer, &peer->counts.called_zones) &&
               zone_begin(peer, packed_delta(peer, item, TRACY_ZONE_BEGIN_CALLSTACK, at),
                          tracy_peer_load(at + peer->proto.size_of[item] - 8, 8)) &&
               tracy_peer_count_stack(peer, PEER_OF_ZONE,
                                      tracy_peer_load(at + peer->proto.size_of[item] - 8, 8), NULL);
    case TRACY_ZONE_END:
    case TRACY_ZONE_END32:
    case TRACY_ZONE_END16:
        return zone_end(peer, packed_delta(peer, item, TRACY_ZONE_END, at));
    case TRACY_ZONE_TEXT:
    case TRACY_ZONE_NAME:
    case TRACY_ZONE_VALUE:
    case TRACY_ZONE_COLOR:
        return zone_attribute(peer, item, at);
    case TRACY_MESSAGE:
    case TRACY_MESSAGE_COLOR:
        return message(peer, at, peer->proto.size_of[item]);
    case TRACY_MESSAGE_CALLSTACK:
    case TRACY_MESSAGE_COLOR_CALLSTACK:
        return tracy_peer_use_calls(peer, &peer->counts.called_messages) &&
               message(peer, at, peer->proto.size_of[item]) &&
               tracy_peer_count_stack(peer, PEER_OF_MESSAGE, 0, peer->string);
    case TRACY_MESSAGE_APP_INFO:
        peer->counts.app_infos++;
        return tracy_peer_use_string(peer) &&
               tracy_peer_good_time(peer, (int64_t)tracy_peer_load(at, 8));
    case TRACY_PLOT_DATA_INT:
    case TRACY_PLOT_DATA_FLOAT:
    case TRACY_PLOT_DATA_DOUBLE:
        return plot(peer, item, at);
    case TRACY_PLOT_CONFIG:
        peer->counts.plot_configs++;
        return at[8] <= 2 && at[9] <= 1 && at[10] <= 1
                   ? tracy_peer_want_name(peer, TRACY_QUERY_PLOT_NAME, tracy_peer_load(at, 8))
                   : tracy_peer_fail(peer, "plot configuration");
    case TRACY_FRAME_MARK_MSG:
    case TRACY_FRAME_MARK_MSG_START:
    case TRACY_FRAME_MARK_MSG_END:
        return frame_mark(peer, item, at);
    case TRACY_FRAME_IMAGE:
        return tracy_peer_picture(peer, at);
    case TRACY_MEM_NAME_PAYLOAD:
        peer->pool_name = tracy_peer_load(at, 8);
        peer->has_pool = !peer->has_pool;
        return peer->has_pool || tracy_peer_fail(peer, "two names of pools in a row");
    case TRACY_MEM_ALLOC:
    case TRACY_MEM_ALLOC_NAMED:
        return tracy_peer_memory(peer, true, item == TRACY_MEM_ALLOC_NAMED, at);
    case TRACY_MEM_FREE:
    case TRACY_MEM_FREE_NAMED:
        return tracy_peer_memory(peer, false, item == TRACY_MEM_FREE_NAMED, at);
    case TRACY_MEM_ALLOC_CALLSTACK:
    case TRACY_MEM_ALLOC_CALLSTACK_NAMED:
        return tracy_peer_use_serial_calls(peer, &peer->counts.called_allocs) &&
               tracy_peer_memory(peer, true, item == TRACY_MEM_ALLOC_CALLSTACK_NAMED, at) &&
               tracy_peer_count_stack(peer, PEER_OF_ALLOC, peer->pool_name, NULL);
    case TRACY_MEM_FREE_CALLSTACK:
    case TRACY_MEM_FREE_CALLSTACK_NAMED:
        return tracy_peer_use_serial_calls(peer, &peer->counts.called_frees) &&
               tracy_peer_memory(peer, false, item == TRACY_MEM_FREE_CALLSTACK_NAMED, at) &&
               tracy_peer_count_stack(peer, PEER_OF_FREE, peer->pool_name, NULL);
    case TRACY_PARAM_SETUP:
        peer->counts.params++;
        peer->counts.switch_params += tracy_peer_load(at + 12, 1);
        return tracy_peer_want_name(peer, TRACY_QUERY_STRING, tracy_peer_load(at + 4, 8));
    case TRACY_SOURCE_LOCATION:
        return source_location(peer, at);
    case TRACY_CONTEXT_SWITCH:
        return tracy_peer_advance(peer, &peer->switch_ref, tracy_peer_load(at, 8), &time_ns) &&
               tracy_peer_switch(peer, time_ns, at + 8);
    case TRACY_THREAD_WAKEUP:
        return tracy_peer_advance(peer, &peer->switch_ref, tracy_peer_load(at, 8), &time_ns) &&
               tracy_peer_wakeup(peer, time_ns, at + 8);
    case TRACY_CALLSTACK_SAMPLE:
    case TRACY_CALLSTACK_SAMPLE32:
    case TRACY_CALLSTACK_SAMPLE16:
        return sample(peer, item, at);
    case TRACY_ACK_SERVER_QUERY_NOOP:
        return tracy_peer_ack(peer);
    case TRACY_ACK_SYMBOL_CODE_NOT_AVAILABLE:
        return tracy_peer_no_code(peer);
    case TRACY_ACK_SOURCE_CODE_NOT_AVAILABLE:
        return tracy_peer_take_source(peer, tracy_peer_load(at, 4), NULL, 0);
    case TRACY_THREAD_GROUP_HINT:
        return find_thread(peer, (uint32_t)tracy_peer_load(at, 4)) != NULL ||
               tracy_peer_fail(peer, "group of a thread that is not known");
    case TRACY_KEEP_ALIVE:
        peer->counts.keep_alives++;
        return true;
    case TRACY_CRASH:
        peer->crashed = true;
        return true;
    case TRACY_CRASH_REPORT:
        return crash_report(peer, at);
    case TRACY_TERMINATE:
        peer->terminated = true;
        return true;
    default:
        return tracy_peer_calls(peer, item, at);
    }
}

static size_t string_item(struct tracy_peer *peer, enum tracy_item item, const uint8_t *bytes,
                          size_t length) {
    bool second = item == TRACY_SECOND_STRING_DATA || item == TRACY_SECOND_STRING_DATA8;
    bool small = item == TRACY_SINGLE_STRING_DATA8 || item == TRACY_SECOND_STRING_DATA8;
    size_t head = small ? 2 : 3;
    if (length < head) {
        return 0;
    }
    size_t count =
        tracy_peer_load(bytes + 1, head - 1) + (peer->proto.short_strings && !small ? 256 : 0);
    bool whole = count <= TRACY_TEXT_MAX && length - head >= count;
    return whole && give_string(peer, second, bytes + head, count) ? head + count : 0;
}

size_t tracy_peer_item(struct tracy_peer *peer, const uint8_t *bytes, size_t length) {
    enum tracy_item item = tracy_proto_item(&peer->proto, bytes[0]);
    if (item == TRACY_ITEM_COUNT) {
        tracy_peer_fail(peer, "item of number %u", bytes[0]);
        return 0;
    }
    if (item >= TRACY_SINGLE_STRING_DATA && item <= TRACY_SECOND_STRING_DATA8) {
        return string_item(peer, item, bytes, length);
    }
    if (tracy_item_is_long_transfer(item)) {
        return long_transfer(peer, item, bytes, length);
    }
    if (tracy_item_is_transfer(item)) {
        size_t count = length < 11 ? length : tracy_peer_load(bytes + 9, 2);
        return length >= 11 && length - 11 >= count && transfer(peer, item, bytes + 1, count)
                   ? 11 + count
                   : 0;
    }
    size_t size = 1u + peer->proto.size_of[item];
    return length >= size && plain_item(peer, item, bytes + 1) ? size : 0;
}
