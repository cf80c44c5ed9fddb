/* SPDX-License-Identifier: MIT */
/* Source files: a viewer that was told the time of the executable asks for each file of a place,
 * once. */
#include <stdlib.h>
#include <string.h>

#include "tracy_peer.h"

#define PART_BYTES 12u

/* The name with its NUL, 12 bytes a packet: 8 in the pointer's place, then 4. */
static void send_name(struct tracy_peer *peer, const char *file) {
    size_t size = strlen(file) + 1;
    tracy_peer_ask(peer, TRACY_QUERY_DATA_TRANSFER, size);
    peer->acks_open++;
    for (size_t at = 0; at < size; at += PART_BYTES) {
        uint8_t part[PART_BYTES] = {0};
        size_t count = size - at < PART_BYTES ? size - at : PART_BYTES;
        memcpy(part, file + at, count);
        tracy_peer_ask(peer, TRACY_QUERY_DATA_TRANSFER_PART, 0);
        if (peer->out_used >= TRACY_QUERY_BYTES) {
            memcpy(peer->out + peer->out_used - PART_BYTES, part, PART_BYTES);
        }
        peer->acks_open++;
    }
}

void tracy_peer_want_source(struct tracy_peer *peer, const char *file) {
    if (!peer->asks_sources || tracy_peer_source(peer, file) != NULL) {
        return;
    }
    if (peer->source_count == PEER_SOURCES) {
        tracy_peer_fail(peer, "too many files for this test");
        return;
    }
    struct peer_source *source = &peer->sources[peer->source_count];
    source->file = strdup(file);
    send_name(peer, file);
    tracy_peer_ask(peer, TRACY_QUERY_SOURCE_CODE, peer->source_count++);
    peer->source_open++;
}

bool tracy_peer_named(struct tracy_peer *peer, uint64_t key) {
    for (size_t i = 0; i < peer->place_next; i++) {
        if (peer->places[i].file == key) {
            tracy_peer_want_source(peer, tracy_peer_text(peer, TRACY_QUERY_STRING, key));
            break;
        }
    }
    return peer->failure[0] == '\0';
}

bool tracy_peer_ack(struct tracy_peer *peer) {
    if (peer->acks_open == 0) {
        return tracy_peer_fail(peer, "acknowledgement of nothing");
    }
    peer->acks_open--;
    return true;
}

bool tracy_peer_take_source(struct tracy_peer *peer, uint64_t id, const uint8_t *bytes,
                            size_t length) {
    if (id >= peer->source_count || peer->sources[id].answered) {
        return tracy_peer_fail(peer, "source code that nobody asked for");
    }
    struct peer_source *source = &peer->sources[id];
    source->answered = true;
    source->there = bytes != NULL;
    source->length = length;
    source->text = malloc(length + 1);
    if (source->text == NULL) {
        abort();
    }
    if (length > 0) {
        memcpy(source->text, bytes, length);
    }
    source->text[length] = '\0';
    peer->source_open--;
    return true;
}

void tracy_peer_free_sources(struct tracy_peer *peer) {
    for (size_t i = 0; i < peer->source_count; i++) {
        free(peer->sources[i].file);
        free(peer->sources[i].text);
    }
}

const struct peer_source *tracy_peer_source(const struct tracy_peer *peer, const char *file) {
    for (size_t i = 0; i < peer->source_count; i++) {
        if (strcmp(peer->sources[i].file, file) == 0) {
            return &peer->sources[i];
        }
    }
    return NULL;
}
