/* SPDX-License-Identifier: MIT */
/* A serial port on USB that obeys lines from the host, as a program on standard input and output: the
 * device stack over the controller's model, see pipe.h.
 *
 *   source N   it sends the first N bytes of the pattern
 *   sink N     the next N bytes should be the pattern; it answers "right", or "wrong at I" with the first place
 *   state      it answers "suspends N, lost N": how often the bus was suspended, input bytes that were dropped
 *   replug     it leaves the bus, and comes back after half a second
 *
 * Byte I of the pattern is (I + I / 256 * 7) mod 256, so that neither a lost packet nor a doubled one fits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"
#include "pipe.h"
#include "usb_cdc.h"

static struct model model;
static struct kymo_usb_cdc port;
static unsigned suspends;

static void interrupt(void) {
    const bool before = kymo_usb_cdc_suspended(&port);
    kymo_usb_cdc_poll(&port);
    suspends += !before && kymo_usb_cdc_suspended(&port);
}

static uint8_t pattern(uint32_t place) { return (uint8_t)(place + place / 256u * 7u); }

static uint8_t get(void) {
    const struct kymo_transport *in = kymo_usb_cdc_transport(&port);
    uint8_t byte;
    while (in->read(in->context, &byte, 1) == 0) {
        /* More than one could bring more than there is room for. */
        (void)pipe_serve_one(&model, 1000);
    }
    return byte;
}

static void put(const void *bytes, size_t length) {
    const struct kymo_transport *out = kymo_usb_cdc_transport(&port);
    for (size_t sent = 0; sent < length;) {
        const size_t taken = out->write(out->context, (const uint8_t *)bytes + sent, length - sent);
        sent += taken;
        if (taken == 0) {
            pipe_serve(&model, 1000);
        }
    }
}

static void say(const char *what, uint32_t first, uint32_t second) {
    char line[64];
    (void)snprintf(line, sizeof line, what, first, second);
    put(line, strlen(line));
}

static void source(uint32_t count) {
    uint8_t packet[KYMO_USB_PACKET_BYTES];
    for (uint32_t sent = 0; sent < count;) {
        uint32_t length = 0;
        while (length < sizeof packet && sent < count) {
            packet[length++] = pattern(sent++);
        }
        put(packet, length);
    }
}

static void sink(uint32_t count) {
    uint32_t wrong = count;
    for (uint32_t i = 0; i < count; i++) {
        if (get() != pattern(i) && wrong == count) {
            wrong = i;
        }
    }
    say(wrong == count ? "right\n" : "wrong at %" PRIu32 "\n", wrong, 0);
}

static void replug(void) {
    const struct timespec pause = {.tv_nsec = 10000000};
    (void)kymo_usb_cdc_attach(&port, false);
    for (unsigned i = 0; i < 50; i++) {
        pipe_serve(&model, 0);
        (void)nanosleep(&pause, NULL);
    }
    (void)kymo_usb_cdc_attach(&port, true);
}

static void get_line(char *line, size_t size) {
    size_t length = 0;
    for (char byte = (char)get(); byte != '\n'; byte = (char)get()) {
        if (length < size - 1) {
            line[length++] = byte;
        }
    }
    line[length] = '\0';
}

static void obey(const char *line) {
    uint32_t count;
    if (sscanf(line, "source %" SCNu32, &count) == 1) {
        source(count);
    } else if (sscanf(line, "sink %" SCNu32, &count) == 1) {
        sink(count);
    } else if (strcmp(line, "state") == 0) {
        say("suspends %" PRIu32 ", lost %" PRIu32 "\n", suspends, kymo_usb_cdc_lost_bytes(&port));
    } else if (strcmp(line, "replug") == 0) {
        replug();
    } else {
        (void)fprintf(stderr, "bytes: what is '%s'?\n", line);
    }
}

int main(void) {
    const struct kymo_usb_cdc_config config = {.controller = &model.controller};
    model_init(&model, true);
    model.interrupt = interrupt;
    if (!kymo_usb_cdc_init(&port, &config)) {
        bus_wrong("cannot begin");
    }
    for (;;) {
        char line[64];
        get_line(line, sizeof line);
        obey(line);
    }
}
