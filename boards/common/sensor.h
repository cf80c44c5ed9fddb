/* SPDX-License-Identifier: MIT */
/* The sensor loop: samples of a made-up vibration through a FIR filter and a Fourier transform, and a
 * heater under PID control. All of it repeats, bit for bit, from one cycle to the next. */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdbool.h>
#include <stdint.h>

#define SENSOR_STEPS 256u   /* of one cycle */
#define SENSOR_PERIOD_MS 2u /* from one step to the next */

/* The tone that the filter lets through, in units of a transform's bins. */
#define SENSOR_TONE 5u

/* Whether the host has set the parameter "sensor.plot_every". */
bool sensor_is_set(void);

/* Begins a cycle. */
void sensor_start(void);

/* One step: 8 samples, one turn of the controller, and after every eighth step a transform. */
void sensor_step(void);

/* Over all results of the cycle so far. */
uint32_t sensor_sum(void);

#endif
