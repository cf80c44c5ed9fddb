/* SPDX-License-Identifier: MIT */
/* Two tasks with zones that stay open while the other runs, and one that ends early. */
#include <assert.h>
#include <stdio.h>

#include "kymo_esp.h"
#include "model.h"

#ifdef CONFIG_KYMO_STATES
#include <string.h>

#include "esp_trace_registry.h"

/* Called like esp_trace's core does: before the scheduler, then for the application. */
static void play_esp_trace(bool early) {
    static esp_trace_encoder_t encoder;
    encoder.vt = model_encoder.vt;
    if (early) {
        assert(strcmp(model_encoder.name, "ext") == 0);
        assert(encoder.vt->init(&encoder, NULL) == ESP_OK);
        return;
    }
    assert(encoder.vt->write(&encoder, "by esp_trace", 12u, 0u) == ESP_OK);
    assert(encoder.vt->stop(&encoder) == ESP_OK);
    assert(encoder.vt->write(&encoder, "while stopped", 13u, 0u) == ESP_OK);
    assert(encoder.vt->start(&encoder) == ESP_OK);
}
#else
static void play_esp_trace(bool early) { (void)early; }
#endif

KYMO_PARAM(rounds, "rounds", 300, 1, 1000);

static void work(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++) {
        KYMO_ZONE("work");
        vTaskDelay(1);
    }
    vTaskDelete(NULL);
}

static void short_lived(void *unused) {
    (void)unused;
    for (int i = 0; i < 10; i++) {
        KYMO_ZONE("short");
        vTaskDelay(2);
    }
    vTaskDelete(NULL);
}

static void app_main(void *unused) {
    (void)unused;
    const bool starts = kymo_esp_start();
    assert(starts);
    play_esp_trace(false);
    xTaskCreatePinnedToCore(work, "worker", 4096u, NULL, 5u, NULL, 0);
    xTaskCreatePinnedToCore(short_lived, "guest", 4096u, NULL, 5u, NULL, 0);
    for (int i = 0; i < KYMO_PARAM_GET(rounds); i++) {
        KYMO_ZONE("round");
        KYMO_MESSAGE("at %d", i);
        vTaskDelay(1);
    }
    assert(!kymo_esp_start());
    const bool sent = kymo_esp_finish(5000u);
    assert(sent);
    vTaskDelay(100); /* for bytes that the driver has yet to send */
    model_end();
}

int main(void) {
    play_esp_trace(true);
    model_start(app_main);
    return 0;
}
