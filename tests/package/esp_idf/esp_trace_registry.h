/* SPDX-License-Identifier: MIT */
/* ESP-IDF puts registered encoders into a section; here there is one encoder, for the program. */
#ifndef MODEL_ESP_TRACE_REGISTRY_H
#define MODEL_ESP_TRACE_REGISTRY_H

#include "esp_trace_port_encoder.h"

struct model_encoder {
    const char *name;
    const esp_trace_encoder_vtable_t *vt;
};
extern const struct model_encoder model_encoder;

#define ESP_TRACE_REGISTER_ENCODER(name_of, table)                                                 \
    const struct model_encoder model_encoder = {(name_of), (table)}

#endif
