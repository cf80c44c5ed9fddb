/* SPDX-License-Identifier: MIT */
/* The results that the demo firmware must compute, worked out a second time; see demo_reference.c. */
#ifndef DEMO_REFERENCE_H
#define DEMO_REFERENCE_H

#include <stdint.h>

/* Checksum over the layers' outputs for one scene, for a network of that size. */
uint32_t reference_scene_sum(int side, int channels, unsigned scene);

/* Checksum over one cycle of the sensor loop. */
uint32_t reference_sensor_sum(void);

#endif
