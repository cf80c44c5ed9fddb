/* The demo as a USB device on standard input and output, by the protocol of pipe.h: the device stack as it is
 * on a board, over the controller's model. Ends with the demo's status, or with 3 when nobody is at the other
 * end any more; with 4, and a line on standard error, where the stack breaks the contract of a controller. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "model.h"
#include "pipe.h"
#include "usb_cdc.h"

#define NOBODY 3
#define BROKEN 4

static struct model model;
static struct usb_cdc port;

_Noreturn void bus_wrong(const char *what) {
    (void)fprintf(stderr, "usb device: %s\n", what);
    _exit(BROKEN);
}

/* ---- the pipe ---- */

static void get(uint8_t *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        const ssize_t count = read(STDIN_FILENO, bytes + done, length - done);
        if (count > 0) {
            done += (size_t)count;
        } else if (count == 0 || errno != EINTR) {
            _exit(NOBODY);
        }
    }
}

static void put(const uint8_t *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        const ssize_t count = write(STDOUT_FILENO, bytes + done, length - done);
        if (count > 0) {
            done += (size_t)count;
        } else if (count == 0 || errno != EINTR) {
            _exit(NOBODY);
        }
    }
}

static enum model_answer obey(char kind, const struct model_token *token, struct model_data *data) {
    switch (kind) {
    case 'S':
        return model_setup(&model, token);
    case 'I':
    case 'i':
        return model_in(&model, token, kind == 'I', data);
    case 'O':
        return model_out(&model, token);
    case 'R':
        model_bus_reset(&model);
        return MODEL_ACK;
    case 'Z':
    case 'W':
        model_suspend(&model, kind == 'Z');
        return MODEL_ACK;
    case 'U':
        model_cable(&model, false);
        return MODEL_ACK;
    case 'P':
        if (!model.cable) {
            model_cable(&model, true);
        }
        return model_seen(&model) ? MODEL_ACK : MODEL_NAK;
    default:
        bus_wrong("a token of an unknown kind");
    }
}

static void serve_token(void) {
    uint8_t message[PIPE_HEADER_BYTES + PIPE_DATA_BYTES];
    uint8_t *body = message + PIPE_HEADER_BYTES;
    struct model_data data = {0};
    get(message, PIPE_HEADER_BYTES);
    const size_t length = (size_t)(message[PIPE_LENGTH] | message[PIPE_LENGTH + 1] << 8);
    if (length > PIPE_DATA_BYTES) {
        bus_wrong("a token with more than 64 bytes");
    }
    get(body, length);
    const struct model_token token = {.address = message[PIPE_ADDRESS],
                                      .endpoint = message[PIPE_ENDPOINT],
                                      .toggle = message[PIPE_TOGGLE],
                                      .bytes = body,
                                      .length = length};
    const enum model_answer answer = obey((char)message[PIPE_KIND], &token, &data);
    message[PIPE_KIND] = (uint8_t) "ANTDX"[answer];
    message[PIPE_ADDRESS] = model.address;
    message[PIPE_TOGGLE] = data.toggle;
    message[PIPE_LENGTH] = (uint8_t)data.length;
    message[PIPE_LENGTH + 1] = 0;
    memcpy(body, data.bytes, data.length);
    put(message, PIPE_HEADER_BYTES + data.length);
}

/* Answers all tokens that are there; waits so long for the first one. */
static void serve(int wait_ms) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, wait_ms) > 0) {
        serve_token();
        wait_ms = 0;
    }
}

/* ---- the board ---- */

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    serve(0);
    return usb_cdc_transport(context)->write(context, bytes, length);
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    serve(0);
    return usb_cdc_transport(context)->read(context, bytes, length);
}

static void interrupt(void) { usb_cdc_poll(&port); }

/* Behind main(), as start-up code of a board calls board_exit(). */
static void end(void) {
    while (!usb_cdc_idle(&port)) {
        serve(1000);
    }
    (void)usb_cdc_attach(&port, false);
}

/* The demo takes two seconds only, so it begins when somebody looks. */
void board_init(void) {
    static const uint8_t chip_id[] = {0xc0, 0xff, 0xee, 0x00, 0x12, 0x34};
    const struct usb_cdc_config config = {
        .controller = &model.controller, .chip_id = chip_id, .chip_id_bytes = sizeof chip_id};
    model_init(&model, false);
    model.interrupt = interrupt;
    if (!usb_cdc_init(&port, &config) || atexit(end) != 0) {
        bus_wrong("cannot begin");
    }
    while (!usb_cdc_open(&port)) {
        serve(1000);
    }
}

const struct kymo_transport *board_transport(void) {
    static const struct kymo_transport transport = {
        .write = write_bytes, .read = read_bytes, .context = &port};
    return &transport;
}

void board_idle(void) { serve(1); }

/* ---- its timer: a signal, which interrupts as an interrupt does ---- */

static void (*tick)(void);
static struct timespec started;
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
    (void)clock_gettime(CLOCK_MONOTONIC, &started);
    if (sigaction(SIGALRM, &action, NULL) != 0) {
        bus_wrong("no timer");
    }
    set_timer(1000);
}

void board_timer_stop(void) { set_timer(0); }

uint32_t board_ticks(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((now.tv_sec - started.tv_sec) * 1000 +
                      (now.tv_nsec - started.tv_nsec) / 1000000);
}
