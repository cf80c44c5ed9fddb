/* SPDX-License-Identifier: MIT */
// Blinks, and says so in a trace over Serial1: hostlink /dev/ttyUSB0 -b 115200
#include <kymo_arduino.h>

static KymoTransport port(Serial1);
static int rounds;

void setup() {
    pinMode(LED_BUILTIN, OUTPUT);
    Serial1.begin(115200);
    kymo_cortexm_start();
    kymo_init(port.transport(), "traced blink");
}

void loop() {
    {
        KYMO_ZONE("blink");
        digitalWrite(LED_BUILTIN, rounds % 2 != 0 ? HIGH : LOW);
        KYMO_PLOT("rounds", ++rounds);
    }
    const unsigned long begun_ms = millis();
    while (millis() - begun_ms < 10) {
        kymo_drain(0u);
    }
}
