/* SPDX-License-Identifier: MIT */
#include "pipe.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOBODY 3
#define BROKEN 4

_Noreturn void bus_wrong(const char *what) {
    (void)fprintf(stderr, "usb device: %s\n", what);
    _exit(BROKEN);
}

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

static enum model_answer obey(struct model *model, char kind, const struct model_token *token,
                              struct model_data *data) {
    switch (kind) {
    case 'S':
        return model_setup(model, token);
    case 'I':
    case 'i':
        return model_in(model, token, kind == 'I', data);
    case 'O':
        return model_out(model, token);
    case 'R':
        model_bus_reset(model);
        return MODEL_ACK;
    case 'Z':
    case 'W':
        model_suspend(model, kind == 'Z');
        return MODEL_ACK;
    case 'U':
        model_cable(model, false);
        return MODEL_ACK;
    case 'P':
        if (!model->cable) {
            model_cable(model, true);
        }
        return model_seen(model) ? MODEL_ACK : MODEL_NAK;
    default:
        bus_wrong("a token of an unknown kind");
    }
}

static void serve_token(struct model *model) {
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
    const enum model_answer answer = obey(model, (char)message[PIPE_KIND], &token, &data);
    message[PIPE_KIND] = (uint8_t) "ANTDX"[answer];
    message[PIPE_ADDRESS] = model->address;
    message[PIPE_TOGGLE] = data.toggle;
    message[PIPE_LENGTH] = (uint8_t)data.length;
    message[PIPE_LENGTH + 1] = 0;
    memcpy(body, data.bytes, data.length);
    put(message, PIPE_HEADER_BYTES + data.length);
}

bool pipe_serve_one(struct model *model, int wait_ms) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, wait_ms) <= 0) {
        return false;
    }
    serve_token(model);
    return true;
}

void pipe_serve(struct model *model, int wait_ms) {
    while (pipe_serve_one(model, wait_ms)) {
        wait_ms = 0;
    }
}
