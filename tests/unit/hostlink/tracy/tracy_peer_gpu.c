/* SPDX-License-Identifier: MIT */
/* A viewer's handling of the items of GPUs. */
#include "tracy_peer.h"

#include <string.h>

#define PERIOD_1 0x3f800000u
#define ZONES (sizeof((struct peer_gpu *)0)->zones / sizeof(struct peer_gpu_zone))

static struct peer_gpu *gpu_of(struct tracy_peer *peer, uint8_t context) {
    struct peer_gpu *gpu = context < 255 ? &peer->gpus[context] : NULL;
    if (gpu == NULL || !gpu->announced) {
        tracy_peer_fail(peer, "item of GPU %u, which is none", context);
        return NULL;
    }
    return gpu;
}

static bool announce(struct tracy_peer *peer, const uint8_t *at) {
    const uint8_t context = at[24], flags = at[25], type = at[26];
    const uint8_t types = peer->proto.number >= 82   ? 10
                          : peer->proto.number >= 76 ? 9
                          : peer->proto.number >= 74 ? 8
                                                     : 5;
    const int64_t cpu_ns = (int64_t)tracy_peer_load(at, 8);
    if (context == 255 || peer->gpus[context].announced || flags != 1 || type == 0 ||
        type > types || tracy_peer_load(at + 16, 4) != 0 ||
        tracy_peer_load(at + 20, 4) != PERIOD_1 || tracy_peer_load(at + 8, 8) != (uint64_t)cpu_ns) {
        return tracy_peer_fail(peer, "GPU %u of kind %u is not announced so", context, type);
    }
    peer->gpus[context] =
        (struct peer_gpu){.announced = true, .type = type, .calibrated_ns = cpu_ns};
    return tracy_peer_good_time(peer, cpu_ns);
}

static bool name(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_gpu *gpu = gpu_of(peer, at[0]);
    if (gpu == NULL || !tracy_peer_use_string(peer)) {
        return false;
    }
    gpu->named = true;
    const size_t length =
        peer->string_length < sizeof gpu->name ? peer->string_length : sizeof gpu->name - 1;
    memcpy(gpu->name, peer->string, length);
    gpu->name[length] = '\0';
    return true;
}

/* By it a viewer has the rate of the GPU's clock: here it is the trace's. */
static bool calibrate(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_gpu *gpu = gpu_of(peer, at[24]);
    const int64_t time_ns = (int64_t)tracy_peer_load(at, 8);
    if (gpu == NULL || time_ns <= gpu->calibrated_ns ||
        tracy_peer_load(at + 8, 8) != (uint64_t)time_ns ||
        tracy_peer_load(at + 16, 8) != (uint64_t)(time_ns - gpu->calibrated_ns)) {
        return tracy_peer_fail(peer, "calibration of a GPU");
    }
    gpu->calibrated_ns = time_ns;
    gpu->calibrations++;
    return true;
}

static bool begin(struct tracy_peer *peer, struct peer_gpu *gpu, int64_t time_ns, uint32_t number,
                  uint64_t key) {
    struct peer_place *place = tracy_peer_place_of(peer, key);
    if (place == NULL || gpu->depth == ZONES ||
        (gpu->depth != 0 && gpu->zones[gpu->depth - 1].start_ns < 0)) {
        return tracy_peer_fail(peer, "zone of a GPU begins before the time of the one before came");
    }
    gpu->zones[gpu->depth++] = (struct peer_gpu_zone){place, time_ns, -1, -1, number};
    return true;
}

static bool end(struct tracy_peer *peer, struct peer_gpu *gpu, int64_t time_ns, uint32_t number) {
    if (gpu->depth == 0 || gpu->ends || gpu->zones[gpu->depth - 1].start_ns < 0 ||
        time_ns < gpu->zones[gpu->depth - 1].submitted_ns) {
        return tracy_peer_fail(peer, "end of no zone of a GPU");
    }
    gpu->zones[gpu->depth - 1].number = number;
    gpu->ends = true;
    return true;
}

static bool zone(struct tracy_peer *peer, bool begins, const uint8_t *at) {
    struct peer_gpu *gpu = gpu_of(peer, at[14]);
    const uint32_t number = (uint32_t)tracy_peer_load(at + 12, 2);
    int64_t time_ns;
    if (gpu == NULL || tracy_peer_load(at + 8, 4) == 0 ||
        !tracy_peer_advance(peer, &peer->serial_ref, tracy_peer_load(at, 8), &time_ns)) {
        return false;
    }
    return begins ? begin(peer, gpu, time_ns, number, tracy_peer_load(at + 15, 8))
                  : end(peer, gpu, time_ns, number);
}

/* A time that goes back is taken for a clock that has wrapped. */
static bool gpu_time(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_gpu *gpu = gpu_of(peer, at[10]);
    int64_t time_ns;
    if (gpu == NULL ||
        !tracy_peer_advance(peer, &peer->gpu_ref, tracy_peer_load(at, 8), &time_ns)) {
        return false;
    }
    struct peer_gpu_zone *top = gpu->depth != 0 ? &gpu->zones[gpu->depth - 1] : NULL;
    if (top == NULL || top->number != tracy_peer_load(at + 8, 2) || time_ns < gpu->last_ns ||
        (top->start_ns >= 0 && !gpu->ends)) {
        return tracy_peer_fail(peer, "time of a GPU that nothing waits for");
    }
    gpu->last_ns = time_ns;
    if (!gpu->ends) {
        top->start_ns = time_ns;
        gpu->waited_ns += time_ns - top->submitted_ns;
        return true;
    }
    gpu->ends = false;
    gpu->depth--;
    gpu->count++;
    gpu->total_ns += time_ns - top->start_ns;
    top->place->count++;
    top->place->total_ns += time_ns - top->start_ns;
    peer->counts.zones++;
    return true;
}

bool tracy_peer_gpu(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    switch (item) {
    case TRACY_GPU_NEW_CONTEXT:
        return announce(peer, at);
    case TRACY_GPU_CONTEXT_NAME:
        return name(peer, at);
    case TRACY_GPU_CALIBRATION:
        return calibrate(peer, at);
    case TRACY_GPU_ZONE_BEGIN_SERIAL:
        return zone(peer, true, at);
    case TRACY_GPU_ZONE_END_SERIAL:
        return zone(peer, false, at);
    case TRACY_GPU_TIME:
        return gpu_time(peer, at);
    default:
        return tracy_peer_lock(peer, item, at);
    }
}
