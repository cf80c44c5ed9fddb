/* SPDX-License-Identifier: MIT */
/* kymo as an encoder of ESP-IDF's esp_trace (6.1 and later). It records from before the start, into rings of its own,
 * and the task of kymo_esp.c sends by a driver: esp_trace's transports, which may not call the kernel, are not used. So
 * there is nothing to flush here, and after a panic the rings are in the core dump (hostlink dump). */
#include "esp_trace_port_encoder.h"
#include "esp_trace_registry.h"
#include "kymo/kymo.h"
#include "sdkconfig.h"

KYMO_SITE_DEFINE_GLOBAL(written, KYMO_SITE_MESSAGE, "esp_trace_write()", 0u, 0u, NULL);

/* Each core calls it. */
static esp_err_t init(esp_trace_encoder_t *encoder, const void *config) {
    (void)encoder, (void)config;
    return ESP_OK;
}

/* esp_trace_write(): a line of text. What does not fit into the ring is counted as lost. */
static esp_err_t write_text(esp_trace_encoder_t *encoder, const void *data, size_t size,
                            uint32_t timeout_us) {
    (void)encoder, (void)timeout_us;
    const struct kymo_text text = {.bytes = data, .length = size};
    kymo_message_text(&written, &text, 0u, 0u);
    return ESP_OK;
}

static esp_err_t start(esp_trace_encoder_t *encoder) {
    (void)encoder;
    kymo_start();
    return ESP_OK;
}

static esp_err_t stop(esp_trace_encoder_t *encoder) {
    (void)encoder;
    kymo_stop();
    return ESP_OK;
}

static const esp_trace_encoder_vtable_t encoder = {
    .init = init, .write = write_text, .start = start, .stop = stop};

ESP_TRACE_REGISTER_ENCODER(CONFIG_ESP_TRACE_LIB_NAME, &encoder);
