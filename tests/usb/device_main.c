/* SPDX-License-Identifier: MIT */
/* The demo as a USB device on standard input and output, by the protocol of pipe.h: the device stack as it is
 * on a board, over the controller's model. Ends with the demo's status, or with 3 when nobody is at the other
 * end any more; with 4, and a line on standard error, where the stack breaks the contract of a controller. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "board.h"
#include "model.h"
#include "pipe.h"
#include "usb_cdc.h"

#define CLOSE_MS 60000
/* A fresh serial port of Linux changes what it is given until its program has set it raw. */
#define SETTLE_MS 200

static struct model model;
static struct kymo_usb_cdc port;

/* ---- the board ---- */

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_settled(void) {
    static int64_t closed_ms;
    if (!kymo_usb_cdc_open(&port)) {
        closed_ms = now_ms();
    }
    return now_ms() - closed_ms >= SETTLE_MS;
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    pipe_serve(&model, 0);
    return is_settled() ? kymo_usb_cdc_transport(context)->write(context, bytes, length) : 0u;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    pipe_serve(&model, 0);
    return kymo_usb_cdc_transport(context)->read(context, bytes, length);
}

static void interrupt(void) { kymo_usb_cdc_poll(&port); }

/* After main(), as start-up code of a board calls board_exit(). Where the cable is out it waits for it to come
 * back, as unread bytes go with the program. Linux throws away bytes that a program has not read when the
 * device goes, so the program is to close the port first. */
static void end(void) {
    while (!kymo_usb_cdc_open(&port) || !kymo_usb_cdc_idle(&port)) {
        (void)pipe_serve_one(&model, 1000);
    }
    const int64_t patience_ends_ms = now_ms() + CLOSE_MS;
    while (kymo_usb_cdc_open(&port) && now_ms() < patience_ends_ms) {
        (void)pipe_serve_one(&model, 100);
    }
    (void)kymo_usb_cdc_attach(&port, false);
}

/* The demo takes two seconds only, so it begins when a host reads. */
void board_init(void) {
    static const uint8_t chip_id[] = {0xc0, 0xff, 0xee, 0x00, 0x12, 0x34};
    const struct kymo_usb_cdc_config config = {
        .controller = &model.controller, .chip_id = chip_id, .chip_id_bytes = sizeof chip_id};
    model_init(&model, false);
    model.interrupt = interrupt;
    if (!kymo_usb_cdc_init(&port, &config) || atexit(end) != 0) {
        bus_wrong("cannot begin");
    }
    while (!is_settled()) {
        (void)pipe_serve_one(&model, 10);
    }
}

const struct kymo_transport *board_transport(void) {
    static const struct kymo_transport transport = {
        .write = write_bytes, .read = read_bytes, .context = &port};
    return &transport;
}

void board_idle(void) { pipe_serve(&model, 1); }

/* ---- its timer: a signal, which interrupts as an interrupt does ---- */

static void (*tick)(void);
static int64_t started_ms;
static volatile sig_atomic_t running;

static void on_alarm(int number) {
    (void)number;
    const int saved = errno;
    tick();
    errno = saved;
}

static void set_timer(suseconds_t period_us) {
    const struct itimerval timer = {.it_interval.tv_usec = period_us,
                                    .it_value.tv_usec = period_us};
    if (setitimer(ITIMER_REAL, &timer, NULL) != 0) {
        bus_wrong("no timer");
    }
    running = period_us != 0;
}

void board_timer_start(void (*called)(void)) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    tick = called;
    started_ms = now_ms();
    if (sigaction(SIGALRM, &action, NULL) != 0) {
        bus_wrong("no timer");
    }
    set_timer(1000);
}

void board_timer_stop(void) { set_timer(0); }

uint32_t board_ticks(void) { return (uint32_t)(now_ms() - started_ms); }
