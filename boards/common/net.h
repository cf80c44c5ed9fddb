/* SPDX-License-Identifier: MIT */
/* A small network in the manner of DroNet (A. Loquercio et al., "DroNet: Learning to Fly by Driving",
 * IEEE Robotics and Automation Letters 3 (2), 2018): from a grey image to a steering angle and a
 * probability of collision, with a skip connection on the way. Its weights are not trained but
 * generated from a seed: the work is real, the answers mean nothing. */
#ifndef NET_H
#define NET_H

#include <stdbool.h>
#include <stdint.h>

/* Images differ by their scene; scene NET_SCENES looks like scene 0 again. */
#define NET_SCENES 8u

struct net_result {
    int8_t steering;
    int8_t collision;
    uint32_t sum; /* over the output of every layer */
};

/* Generates the weights and sets up the memory of the activations. Once, before all else. */
void net_init(void);

/* Looks at one image. False if the pool of activations was too small. */
bool net_run(unsigned scene, struct net_result *result);

/* Called between two layers: the demo's chance to do something else on a board of one core. */
void net_between_layers(void);

#endif
