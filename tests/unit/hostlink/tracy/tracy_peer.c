/* SPDX-License-Identifier: MIT */
#include "tracy_peer.h"

#include <lz4.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { STAGE_STATUS, STAGE_WELCOME, STAGE_ON_DEMAND, STAGE_LENGTH, STAGE_FRAME };

bool tracy_peer_fail(struct tracy_peer *peer, const char *format, ...) {
    va_list arguments;
    if (peer->failure[0] == '\0') {
        va_start(arguments, format);
        (void)vsnprintf(peer->failure, sizeof peer->failure, format, arguments);
        va_end(arguments);
    }
    return false;
}

static void put_hello(struct tracy_peer *peer) {
    memcpy(peer->out, TRACY_MAGIC, TRACY_MAGIC_BYTES);
    for (unsigned i = 0; i < 4; i++) {
        peer->out[TRACY_MAGIC_BYTES + i] = (uint8_t)(peer->proto.number >> (8 * i));
    }
    peer->out_used = TRACY_HELLO_BYTES;
}

struct tracy_peer *tracy_peer_new(uint32_t protocol) {
    struct tracy_peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL || !tracy_proto_select(&peer->proto, protocol)) {
        abort();
    }
    peer->stage = STAGE_STATUS;
    peer->wanted = 1;
    put_hello(peer);
    return peer;
}

void tracy_peer_free(struct tracy_peer *peer) {
    for (size_t i = 0; i < peer->name_count; i++) {
        free(peer->names[i].text);
    }
    for (size_t i = 0; i < peer->thread_count; i++) {
        free(peer->threads[i].zones);
    }
    tracy_peer_free_sources(peer);
    tracy_peer_free_pictures(peer);
    tracy_peer_free_stacks(peer);
    tracy_peer_free_calls(peer);
    if (peer->decoder != NULL) {
        (void)LZ4_freeStreamDecode(peer->decoder);
    }
    free(peer->ring);
    free(peer);
}

void tracy_peer_ask(struct tracy_peer *peer, enum tracy_query query, uint64_t key) {
    tracy_peer_ask_more(peer, query, key, 0);
}

void tracy_peer_ask_more(struct tracy_peer *peer, enum tracy_query query, uint64_t key,
                         uint32_t extra) {
    if (peer->out_used + TRACY_QUERY_BYTES > sizeof peer->out) {
        tracy_peer_fail(peer, "too many questions for this test");
        return;
    }
    uint8_t *at = peer->out + peer->out_used;
    memset(at, 0, TRACY_QUERY_BYTES);
    at[0] = tracy_proto_query_number(&peer->proto, query);
    for (unsigned i = 0; i < 8; i++) {
        at[1 + i] = (uint8_t)(key >> (8 * i));
    }
    for (unsigned i = 0; i < 4; i++) {
        at[9 + i] = (uint8_t)(extra >> (8 * i));
    }
    peer->out_used += TRACY_QUERY_BYTES;
}

bool tracy_peer_content(const struct tracy_peer *peer) {
    bool open = peer->name_open > 0 || peer->place_next < peer->place_count || peer->has_string ||
                peer->has_second || peer->has_pool || peer->source_open > 0 ||
                peer->external_open > 0 || peer->next_picture.data != NULL || peer->acks_open > 0 ||
                tracy_peer_calls_open(peer);
    for (size_t i = 0; i < peer->thread_count; i++) {
        open = open || (peer->threads[i].depth > 0 && !peer->crashed);
    }
    return peer->terminated && !open;
}

bool tracy_peer_frame(struct tracy_peer *peer, const uint8_t *bytes, size_t length) {
    peer->counts.frames_received++;
    peer->counts.bytes += length;
    if (length == 0) {
        return tracy_peer_fail(peer, "empty frame");
    }
    for (size_t at = 0; at < length;) {
        size_t used = tracy_peer_item(peer, bytes + at, length - at);
        if (used == 0) {
            return tracy_peer_fail(peer, "item cut by the end of its frame, at %zu of %zu", at,
                                   length);
        }
        at += used;
    }
    if (tracy_peer_content(peer)) {
        tracy_peer_ask(peer, TRACY_QUERY_TERMINATE, 0);
        peer->terminated = false; /* only once */
    }
    return peer->failure[0] == '\0';
}

static int64_t load64(const uint8_t *at) {
    uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return (int64_t)value;
}

void tracy_peer_start(struct tracy_peer *peer, int64_t base_ns, int64_t demand_ns) {
    peer->base_ns = base_ns;
    peer->demand_ns = demand_ns;
    peer->stage = STAGE_LENGTH;
    peer->wanted = 4;
    peer->have = 0;
    peer->out_used = 0;
    /* Two frames that the viewer makes by itself, and the one at the connection. */
    peer->frames[0] = (struct peer_frames){.key = 0, .last_ns = demand_ns};
    peer->frame_count = 1;
}

static bool take_welcome(struct tracy_peer *peer) {
    size_t after_times = peer->proto.welcome_has_delay ? 8 : 0;
    const uint8_t *part = peer->part;
    double timer_mul;
    memcpy(&timer_mul, part, sizeof timer_mul);
    peer->base_ns = load64(part + 8);
    peer->epoch_s = load64(part + 32 + after_times);
    peer->sample_period_ns = load64(part + 56 + after_times);
    uint8_t flags = part[64 + after_times];
    peer->cpu = (enum tracy_cpu)part[65 + after_times];
    peer->asks_code = (flags & TRACY_FLAG_CODE_TRANSFER) != 0;
    const char *program = (const char *)part + 82 + after_times;
    const char *host = (const char *)part + 146 + after_times;
    if (timer_mul < 1.0 || timer_mul > 1.0 || load64(part + 16) < peer->base_ns ||
        flags != (peer->proto.number >= 82 || peer->cpu != TRACY_CPU_UNKNOWN ? 7 : 3) ||
        peer->cpu > TRACY_CPU_ARM64 || memchr(program, 0, 64) == NULL ||
        memchr(host, 0, 1024) == NULL) {
        return tracy_peer_fail(peer, "bad welcome");
    }
    peer->asks_sources = load64(part + 40 + after_times) != 0; /* the time of the executable */
    memcpy(peer->program, program, sizeof peer->program);
    memcpy(peer->host_info, program + 64, sizeof peer->host_info - 1);
    return true;
}

static bool take_packed(struct tracy_peer *peer) {
    if (peer->ring == NULL) { /* the first frame */
        peer->ring = malloc(PEER_RING);
        peer->decoder = LZ4_createStreamDecode();
        if (peer->ring == NULL || peer->decoder == NULL) {
            abort();
        }
    }
    uint8_t *to = peer->ring + peer->ring_at;
    int length = LZ4_decompress_safe_continue(peer->decoder, (const char *)peer->part, (char *)to,
                                              (int)peer->wanted, TRACY_FRAME_BYTES);
    if (length < 0) {
        return tracy_peer_fail(peer, "frame is no LZ4 block");
    }
    peer->ring_at += (size_t)length;
    if (peer->ring_at > 2u * TRACY_FRAME_BYTES) {
        peer->ring_at = 0;
    }
    return tracy_peer_frame(peer, to, (size_t)length);
}

static bool next_part(struct tracy_peer *peer, enum stage stage, size_t wanted) {
    peer->stage = stage;
    peer->wanted = wanted;
    peer->have = 0;
    return true;
}

static bool take_part(struct tracy_peer *peer) {
    const uint8_t *part = peer->part;
    switch (peer->stage) {
    case STAGE_STATUS:
        return part[0] == TRACY_HANDSHAKE_WELCOME
                   ? next_part(peer, STAGE_WELCOME, tracy_proto_welcome_bytes(&peer->proto))
                   : tracy_peer_fail(peer, "handshake answer %u", part[0]);
    case STAGE_WELCOME:
        return take_welcome(peer) && next_part(peer, STAGE_ON_DEMAND, TRACY_ON_DEMAND_BYTES);
    case STAGE_ON_DEMAND:
        tracy_peer_start(peer, peer->base_ns, load64(part + 8));
        peer->frames_before = (uint64_t)load64(part);
        return peer->demand_ns >= peer->base_ns || tracy_peer_fail(peer, "connected before time 0");
    case STAGE_LENGTH: {
        size_t length =
            (size_t)part[0] | (size_t)part[1] << 8 | (size_t)part[2] << 16 | (size_t)part[3] << 24;
        return length > 0 && length <= PEER_PACKED_MAX
                   ? next_part(peer, STAGE_FRAME, length)
                   : tracy_peer_fail(peer, "frame of %zu bytes", length);
    }
    default:
        return take_packed(peer) && next_part(peer, STAGE_LENGTH, 4);
    }
}

bool tracy_peer_feed(struct tracy_peer *peer, const uint8_t *bytes, size_t length) {
    while (length > 0 && peer->failure[0] == '\0') {
        size_t count = peer->wanted - peer->have;
        count = count < length ? count : length;
        memcpy(peer->part + peer->have, bytes, count);
        peer->have += count;
        bytes += count;
        length -= count;
        if (peer->have == peer->wanted && !take_part(peer)) {
            return false;
        }
    }
    return peer->failure[0] == '\0';
}

const char *tracy_peer_text(const struct tracy_peer *peer, enum tracy_query query, uint64_t key) {
    for (size_t i = 0; i < peer->name_count; i++) {
        if (peer->names[i].query == query && peer->names[i].key == key) {
            return peer->names[i].text;
        }
    }
    return NULL;
}

const struct peer_place *tracy_peer_place(const struct tracy_peer *peer, const char *name) {
    for (size_t i = 0; i < peer->place_count; i++) {
        const struct peer_place *place = &peer->places[i];
        uint64_t key = place->name != 0 ? place->name : place->function;
        const char *text = tracy_peer_text(peer, TRACY_QUERY_STRING, key);
        if (text != NULL && strcmp(text, name) == 0) {
            return place;
        }
    }
    return NULL;
}
