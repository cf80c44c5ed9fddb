/* SPDX-License-Identifier: MIT */
#include "net.h"

#include "board_config.h"
#include "checksum.h"
#include "layers.h"
#include "pool.h"
#include "prng.h"

#define DEMO_CORE 0
#include "count.h"

#define SIDE DEMO_IMAGE_SIDE
#define CHANNELS DEMO_CHANNELS
#define SEED 0x6b796d6fu

/* The largest activation is the first layer's, and three are alive at a time at most: a layer's input
 * and output, and the copy that the skip connection keeps. */
#define BLOCK_BYTES ((SIDE / 2) * (SIDE / 2) * CHANNELS)
#define BLOCKS 3u

_Static_assert(SIDE % 16 == 0 && SIDE / 2 * CHANNELS <= LAYERS_ROW_MAX &&
                   SIDE / 8 * 4 * CHANNELS <= LAYERS_ROW_MAX,
               "a row of this network does not fit");

KYMO_POOL(activations_site, "activations");
static struct pool activations;
static _Alignas(16) unsigned char activation_memory[BLOCKS][BLOCK_BYTES];

/* ---- weights ---- */

/* Layers with weights, in the order in which the generator fills them. */
enum { CONV1, DW2, PW2, DW3, PW3, DW4, PW4, DENSE, LAYERS };

/* Taps of one output and number of outputs; scale and shift keep typical activations near a third of
 * the range (found by trial on the scenes). */
static const struct layer_plan {
    uint16_t fan_in, outputs;
    uint8_t scale, shift;
} plans[LAYERS] = {
    [CONV1] = {9, CHANNELS, 25, 9},
    [DW2] = {9, CHANNELS, 13, 8},
    [PW2] = {CHANNELS, 2 * CHANNELS, 13, 8},
    [DW3] = {9, 2 * CHANNELS, 13, 8},
    [PW3] = {2 * CHANNELS, 4 * CHANNELS, 9, 8},
    [DW4] = {9, 4 * CHANNELS, 13, 8},
    [PW4] = {4 * CHANNELS, 4 * CHANNELS, 5, 8},
    [DENSE] = {(SIDE / 16) * (SIDE / 16) * 4 * CHANNELS, 2, 7, SIDE == 96 ? 12 : 8},
};

#define TAPS_TOTAL                                                                                 \
    (9 * CHANNELS * 8 + CHANNELS * CHANNELS * (2 + 8 + 16) +                                       \
     2 * (SIDE / 16) * (SIDE / 16) * 4 * CHANNELS)
#define BIAS_TOTAL (18 * CHANNELS + 2)

static int8_t taps[TAPS_TOTAL];
static int16_t biases[BIAS_TOTAL];
static struct weights weights[LAYERS];

static void generate_weights(void) {
    DEMO_ZONE("weights");
    uint32_t state = SEED;
    int8_t *tap = taps;
    int16_t *bias = biases;
    for (unsigned layer = 0u; layer < LAYERS; layer++) {
        const struct layer_plan *plan = &plans[layer];
        const struct weights made = {tap, bias, plan->scale, plan->shift};
        weights[layer] = made;
        for (unsigned i = 0u; i < (unsigned)plan->fan_in * plan->outputs; i++) {
            *tap++ = (int8_t)prng_symmetric(&state, 15u);
        }
        for (unsigned i = 0u; i < plan->outputs; i++) {
            *bias++ = (int16_t)prng_symmetric(&state, 300u);
        }
    }
}

void net_init(void) {
    pool_init(&activations, activation_memory, BLOCK_BYTES, BLOCKS);
    generate_weights();
}

/* ---- activations ---- */

/* A tensor from the pool; its values are NULL if there was no block. */
static struct tensor tensor_take(unsigned side, unsigned channels) {
    struct tensor t = {NULL, (uint16_t)side, (uint16_t)channels};
    t.values = pool_take(&activations, tensor_size(&t));
    if (t.values != NULL) {
        DEMO_ALLOC("activation", activations_site, t.values, tensor_size(&t));
    }
    return t;
}

static void tensor_give(const struct tensor *t) {
    DEMO_FREE("activation", activations_site, t->values);
    pool_give(&activations, t->values);
}

/* ---- the image ---- */

/* A road to the horizon: a bright band that leans with the scene, on a gradient, with noise. */
static void draw_image(const struct tensor *image, unsigned scene) {
    DEMO_ZONE("camera");
    uint32_t state = SEED + 1u + scene % NET_SCENES;
    int8_t *pixel = image->values;
    for (int32_t y = 0; y < SIDE; y++) {
        const int32_t middle =
            SIDE / 2 + (int32_t)(scene % NET_SCENES) * (SIDE - y) / 16 - SIDE / 8;
        for (int32_t x = 0; x < SIDE; x++) {
            const int32_t distance = x > middle ? x - middle : middle - x;
            const int32_t light = y * 64 / SIDE - 32 + (distance < 4 + y / 4 ? 60 : 0);
            *pixel++ = (int8_t)(light + prng_symmetric(&state, 20u));
        }
    }
}

/* ---- the network ---- */

/* The state of one run: the tensor that the next layer reads, and the checksum so far. */
struct run {
    struct tensor now;
    uint32_t sum;
};

/* "out" is finished: it takes the place of its input. */
static void advance(struct run *run, const struct tensor *out) {
    tensor_give(&run->now);
    run->now = *out;
    run->sum = checksum_int8(run->sum, out->values, tensor_size(out));
    net_between_layers();
}

/* One layer: a tensor for its output, a zone around its work, and on. */
#define LAYER(name, side, channels, work)                                                          \
    do {                                                                                           \
        const struct tensor out = tensor_take((side), (channels));                                 \
        if (out.values == NULL) {                                                                  \
            return false;                                                                          \
        }                                                                                          \
        {                                                                                          \
            DEMO_ZONE(name);                                                                       \
            work;                                                                                  \
        }                                                                                          \
        advance(run, &out);                                                                        \
    } while (0)

static bool first_layers(struct run *run) {
    const struct tensor *in = &run->now;
    LAYER("conv1", SIDE / 2, CHANNELS, layer_conv3x3(in, &out, &weights[CONV1]));
    LAYER("pool1", SIDE / 4, CHANNELS, layer_maxpool2x2(in, &out));
    LAYER("dw2", SIDE / 4, CHANNELS, layer_depthwise3x3(in, &out, &weights[DW2]));
    LAYER("pw2", SIDE / 4, 2u * CHANNELS, layer_pointwise(in, &out, &weights[PW2]));
    LAYER("pool2", SIDE / 8, 2u * CHANNELS, layer_maxpool2x2(in, &out));
    LAYER("dw3", SIDE / 8, 2u * CHANNELS, layer_depthwise3x3(in, &out, &weights[DW3]));
    LAYER("pw3", SIDE / 8, 4u * CHANNELS, layer_pointwise(in, &out, &weights[PW3]));
    return true;
}

/* The result of this block is added to its input, which therefore stays alive. */
static bool residual_block(struct run *run) {
    struct tensor before = run->now;
    struct tensor middle = tensor_take(before.side, before.channels);
    if (middle.values == NULL) {
        return false;
    }
    {
        DEMO_ZONE("dw4");
        layer_depthwise3x3(&before, &middle, &weights[DW4]);
    }
    run->sum = checksum_int8(run->sum, middle.values, tensor_size(&middle));
    run->now = middle;
    const struct tensor *in = &run->now;
    LAYER("pw4", before.side, before.channels, layer_pointwise(in, &out, &weights[PW4]));
    {
        DEMO_ZONE("add4");
        layer_add(&before, &run->now);
    }
    tensor_give(&before);
    run->sum = checksum_int8(run->sum, run->now.values, tensor_size(&run->now));
    return true;
}

static bool last_layers(struct run *run) {
    const struct tensor *in = &run->now;
    LAYER("pool3", SIDE / 16, 4u * CHANNELS, layer_maxpool2x2(in, &out));
    LAYER("dense", 1u, 2u, layer_dense(in, &out, &weights[DENSE]));
    return true;
}

bool net_run(unsigned scene, struct net_result *result) {
    DEMO_ZONE_NAMED(image, "image");
    DEMO_ZONE_VALUE(image, scene);
    struct run run = {tensor_take(SIDE, 1u), CHECKSUM_START};
    if (run.now.values == NULL) {
        return false;
    }
    draw_image(&run.now, scene);
    if (!first_layers(&run) || !residual_block(&run) || !last_layers(&run)) {
        return false;
    }
    result->steering = run.now.values[0];
    result->collision = run.now.values[1];
    result->sum = run.sum;
    tensor_give(&run.now);
    return true;
}
