/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <string.h>

#define PATIENCE 64u

/* ---- packets ---- */

static struct model_token token_of(const struct host *host, uint8_t endpoint) {
    return (struct model_token){.address = host->address, .endpoint = endpoint};
}

static int end_of(enum model_answer answer) {
    return answer == MODEL_STALL ? HOST_STALL : answer == MODEL_NAK ? HOST_NAK : HOST_SILENT;
}

static bool answer_lost(struct host *host) {
    host->packets++;
    return host->lose_every != 0 && host->packets % host->lose_every == 0;
}

/* A packet whose acknowledgement is lost comes again, with the same toggle and bytes (8.6.4). */
static void take_again(struct host *host, const struct model_token *token,
                       const struct model_data *lost) {
    struct model_data data;
    if (model_in(host->model, token, true, &data) != MODEL_DATA || data.toggle != lost->toggle ||
        data.length != lost->length || memcmp(data.bytes, lost->bytes, lost->length) != 0) {
        bus_wrong("a packet that was not acknowledged did not come again as it was");
    }
}

int host_in(struct host *host, uint8_t endpoint, uint8_t *bytes) {
    const struct model_token token = token_of(host, endpoint);
    struct model_data data = {0};
    enum model_answer answer = MODEL_NAK;
    const bool lost = answer_lost(host);
    for (unsigned i = 0; i < host->patience && answer == MODEL_NAK; i++) {
        answer = model_in(host->model, &token, !lost, &data);
        if (answer == MODEL_NAK) {
            host->run();
        }
    }
    if (answer != MODEL_DATA) {
        return end_of(answer);
    }
    if (lost) {
        take_again(host, &token, &data);
    }
    if (data.toggle != host->toggle_in[endpoint & 0xf]) {
        bus_wrong("an IN packet with the wrong data toggle");
    }
    host->toggle_in[endpoint & 0xf] ^= 1;
    memcpy(bytes, data.bytes, data.length);
    return (int)data.length;
}

static enum model_answer offer(struct host *host, const struct model_token *token) {
    enum model_answer answer = MODEL_NAK;
    for (unsigned i = 0; i < host->patience && answer == MODEL_NAK; i++) {
        answer = model_out(host->model, token);
        if (answer == MODEL_NAK) {
            host->run();
        }
    }
    return answer;
}

int host_out(struct host *host, uint8_t endpoint, const uint8_t *bytes, size_t length) {
    struct model_token token = token_of(host, endpoint);
    token.bytes = bytes;
    token.length = length;
    token.toggle = host->toggle_out[endpoint & 0xf];
    enum model_answer answer = offer(host, &token);
    if (answer == MODEL_ACK && answer_lost(host)) {
        answer = offer(host, &token); /* as the host knows nothing of the acknowledgement */
    }
    if (answer != MODEL_ACK) {
        return end_of(answer);
    }
    host->toggle_out[endpoint & 0xf] ^= 1;
    return (int)length;
}

int host_read(struct host *host, uint8_t endpoint, uint8_t *bytes, size_t size,
              size_t *bytes_there) {
    uint8_t packet[KYMO_USB_PACKET_BYTES];
    *bytes_there = 0;
    while (*bytes_there < size) {
        const int length = host_in(host, endpoint, packet);
        if (length < 0) {
            return length;
        }
        if ((size_t)length > size - *bytes_there) {
            bus_wrong("more bytes than were asked for");
        }
        memcpy(bytes + *bytes_there, packet, (size_t)length);
        *bytes_there += (size_t)length;
        if ((size_t)length < KYMO_USB_PACKET_BYTES) {
            break;
        }
    }
    return (int)*bytes_there;
}

/* ---- control transfers: 8.5.3 ---- */

static int data_out(struct host *host, const uint8_t *data, size_t length) {
    for (size_t at = 0; at < length;) {
        const size_t packet =
            length - at < KYMO_USB_PACKET_BYTES ? length - at : KYMO_USB_PACKET_BYTES;
        const int sent = host_out(host, 0, data + at, packet);
        if (sent < 0) {
            return sent;
        }
        at += packet;
    }
    return (int)length;
}

static int status_in(struct host *host) {
    uint8_t packet[KYMO_USB_PACKET_BYTES];
    const int length = host_in(host, 0, packet);
    if (length > 0) {
        bus_wrong("a status stage with data");
    }
    return length;
}

static uint8_t low(uint16_t word) { return (uint8_t)(word & 0xff); }
static uint8_t high(uint16_t word) { return (uint8_t)(word >> 8); }

int host_control(struct host *host, const struct host_request *request, uint8_t *data) {
    const uint8_t setup[8] = {request->type,        request->request,     low(request->value),
                              high(request->value), low(request->index),  high(request->index),
                              low(request->length), high(request->length)};
    struct model_token token = token_of(host, 0);
    token.bytes = setup;
    token.length = sizeof setup;
    if (model_setup(host->model, &token) != MODEL_ACK) {
        return HOST_SILENT;
    }
    host->toggle_in[0] = host->toggle_out[0] = 1;
    int result = 0;
    int status = 0;
    if ((request->type & 0x80) != 0 && request->length != 0) {
        size_t there;
        result = host_read(host, 0, data, request->length, &there);
        host->toggle_out[0] = 1; /* the status stage is DATA1 */
        status = result < 0 ? 0 : host_out(host, 0, data, 0);
    } else {
        result = data_out(host, data, request->length);
        host->toggle_in[0] = 1;
        status = result < 0 ? 0 : status_in(host);
    }
    return status < 0 ? status : result;
}

int host_ask(struct host *host, unsigned type, unsigned request, unsigned value, unsigned index,
             unsigned length, uint8_t *data) {
    const struct host_request wanted = {.type = (uint8_t)type,
                                        .request = (uint8_t)request,
                                        .value = (uint16_t)value,
                                        .index = (uint16_t)index,
                                        .length = (uint16_t)length};
    return host_control(host, &wanted, data);
}

/* ---- what operating systems do ---- */

void host_init(struct host *host, struct model *model, void (*run)(void)) {
    *host = (struct host){.model = model, .run = run, .patience = PATIENCE};
}

void host_reset(struct host *host) {
    model_bus_reset(host->model);
    host->run(); /* a device has 10 ms then (7.1.7.5) */
    host->address = 0;
    memset(host->toggle_in, 0, sizeof host->toggle_in);
    memset(host->toggle_out, 0, sizeof host->toggle_out);
}

int host_set_line(struct host *host, bool open) {
    return host_ask(host, 0x21, 0x22, open ? 3 : 0, host->device.control_interface, 0, NULL);
}
