/* SPDX-License-Identifier: MIT */
/* Images of frames: a viewer's handling of them (TracyWorker.cpp, AddFrameImageData() and
 * ProcessFrameImage(), the same in 0.9.1 to 0.14.0), and the pictures that it would show. */
#include <stdlib.h>
#include <string.h>

#include "tracy_peer.h"

#define BLOCK_BYTES 8u
/* Two that the viewer has made by itself and that of the connection. */
#define FIRST_FRAMES 3u

bool tracy_peer_picture_data(struct tracy_peer *peer, const uint8_t *bytes, size_t length) {
    struct peer_picture *next = &peer->next_picture;
    if (next->data != NULL || length == 0 || length % BLOCK_BYTES != 0) {
        return tracy_peer_fail(peer, "image of %zu bytes", length);
    }
    next->data = malloc(length);
    if (next->data == NULL) {
        abort();
    }
    memcpy(next->data, bytes, length);
    next->bytes = (uint32_t)length;
    return true;
}

/* The frame must be there, so that the saved file can be read; a viewer leaves out those before its first. */
bool tracy_peer_picture(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_picture *next = &peer->next_picture;
    const uint64_t number = tracy_peer_load(at, 4);
    next->frame = number - peer->frames_before + 1;
    next->width = (uint16_t)tracy_peer_load(at + 4, 2);
    next->height = (uint16_t)tracy_peer_load(at + 6, 2);
    if (next->data == NULL || next->width % 4 != 0 || next->height % 4 != 0 || at[8] > 1 ||
        (size_t)next->width * next->height / 2 != next->bytes) {
        return tracy_peer_fail(peer, "image of %u x %u pixels, %u bytes", next->width, next->height,
                               (unsigned)next->bytes);
    }
    if (number < peer->frames_before + 1 || next->frame >= FIRST_FRAMES + peer->main_marks) {
        return tracy_peer_fail(peer, "image of frame %llu, which is not there",
                               (unsigned long long)next->frame);
    }
    for (size_t i = 0; i < peer->picture_count; i++) {
        if (peer->pictures[i].frame == next->frame) {
            return tracy_peer_fail(peer, "two images of one frame");
        }
    }
    if (peer->picture_count == PEER_PICTURES) {
        return tracy_peer_fail(peer, "too many images for this test");
    }
    peer->pictures[peer->picture_count++] = *next;
    *next = (struct peer_picture){0};
    return true;
}

void tracy_peer_free_pictures(struct tracy_peer *peer) {
    for (size_t i = 0; i < peer->picture_count; i++) {
        free(peer->pictures[i].data);
    }
    free(peer->next_picture.data);
}

/* The numbers of the block as BC1 has them, by the viewer's own formula (TracyTextureCompression.cpp, FixOrder()). */
static uint32_t in_order(uint32_t numbers) {
    const uint32_t inverse = ~numbers, low = inverse & 0x55555555u, high = inverse & 0xaaaaaaaau;
    return (low << 1 | high >> 1) ^ high;
}

static uint32_t channel(uint32_t color, uint32_t shift, uint32_t bits) {
    const uint32_t value = color >> shift & ((1u << bits) - 1u);
    return value << (8 - bits) | value >> (2 * bits - 8);
}

static uint32_t mixed(uint32_t one, uint32_t other, uint32_t number, bool four) {
    return number == 0   ? one
           : number == 1 ? other
           : !four       ? (number == 2 ? (one + other) / 2 : 0)
           : number == 2 ? (2 * one + other) / 3
                         : (one + 2 * other) / 3;
}

/* Khronos Data Format Specification 1.3, "BC1 with no alpha". */
uint32_t tracy_peer_pixel(const struct peer_picture *picture, uint32_t x, uint32_t y) {
    const uint8_t *block =
        picture->data + ((size_t)(y / 4) * (picture->width / 4u) + x / 4) * BLOCK_BYTES;
    const uint32_t one = (uint32_t)tracy_peer_load(block, 2);
    const uint32_t other = (uint32_t)tracy_peer_load(block + 2, 2);
    const uint32_t numbers = in_order((uint32_t)tracy_peer_load(block + 4, 4));
    const uint32_t number = numbers >> (2 * (4 * (y % 4) + x % 4)) & 3u;
    uint32_t rgb = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const uint32_t shift = c == 0 ? 11 : c == 1 ? 5 : 0, bits = c == 1 ? 6 : 5;
        rgb = rgb << 8 |
              mixed(channel(one, shift, bits), channel(other, shift, bits), number, one > other);
    }
    return rgb;
}
