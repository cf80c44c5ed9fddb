/* SPDX-License-Identifier: MIT */
/* Two tasks with zones that stay open while the other runs, and one that ends early. */
#include <assert.h>
#include <stdio.h>

#include "kymo_esp.h"
#include "model.h"

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
    vTaskDelay(100); /* what the driver has yet to send */
    model_end();
}

int main(void) {
    model_start(app_main);
    return 0;
}
