/* SPDX-License-Identifier: MIT */
/* The parts that an encoder of ESP-IDF's esp_trace uses, as 6.2 declares them. */
#ifndef MODEL_ESP_TRACE_PORT_ENCODER_H
#define MODEL_ESP_TRACE_PORT_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"

typedef struct esp_trace_encoder esp_trace_encoder_t;

typedef struct {
    esp_err_t (*init)(esp_trace_encoder_t *encoder, const void *config);
    esp_err_t (*write)(esp_trace_encoder_t *encoder, const void *data, size_t size, uint32_t us);
    void (*panic_handler)(esp_trace_encoder_t *encoder, const void *info);
    esp_err_t (*start)(esp_trace_encoder_t *encoder);
    esp_err_t (*stop)(esp_trace_encoder_t *encoder);
    esp_err_t (*flush)(esp_trace_encoder_t *encoder);
} esp_trace_encoder_vtable_t;

struct esp_trace_encoder {
    const esp_trace_encoder_vtable_t *vt;
    void *ctx;
};

#endif
