/* SPDX-License-Identifier: MIT */
/* The board's answers to commands, handed to the callbacks of a pipeline. */
#ifndef HOSTLINK_ANSWERS_H
#define HOSTLINK_ANSWERS_H

#include "model/names.h"
#include "trace/pipeline.h"
#include "wire/decode.h"

void answer_pong(const struct pipeline_callbacks *callbacks, struct reader *reader);
void answer_param(const struct pipeline_callbacks *callbacks, struct names *names, uint32_t session,
                  struct reader *reader);
void answer_guard(const struct pipeline_callbacks *callbacks, struct reader *reader);

#endif
