/* SPDX-License-Identifier: MIT */
/* The test's own side of the models. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>

#include "freertos/task.h"

extern bool model_is_masked;

/* Runs "function" as the first task, until model_end(). */
void model_start(TaskFunction_t function);
void model_end(void);

/* Each tick: the drivers send what their line carries in it. */
void model_tick(void);

#endif
