/* SPDX-License-Identifier: MIT */
#include "bench.h"

struct bench bench;

static void poll(void) { kymo_usb_cdc_poll(&bench.cdc); }
static void stay(void) {}

void bench_start(enum bench_kind kind, bool address_early) {
    static const uint8_t chip_id[] = BENCH_CHIP_ID;
    const struct kymo_usb_cdc_config config = {
        .controller = &bench.model.controller, .chip_id = chip_id, .chip_id_bytes = sizeof chip_id};
    model_init(&bench.model, address_early);
    host_init(&bench.host, &bench.model, kind == BENCH_POLLED ? poll : stay);
    if (!kymo_usb_cdc_init(&bench.cdc, &config)) {
        bus_wrong("kymo_usb_cdc_init()");
    }
    if (kind == BENCH_INTERRUPTS) {
        bench.model.interrupt = poll;
    }
    bench.transport = kymo_usb_cdc_transport(&bench.cdc);
}

void bench_open(enum bench_kind kind) {
    bench_start(kind, false);
    host_enumerate(&bench.host);
    if (host_set_line(&bench.host, true) != 0) {
        bus_wrong("SET_CONTROL_LINE_STATE failed");
    }
}
