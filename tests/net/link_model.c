/* SPDX-License-Identifier: MIT */
#include "link_model.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *claim(void *context) {
    struct link_model *model = context;
    struct link_queue *queue = &model->from_stack;
    return queue->in - queue->out < model->room ? queue->frames[queue->in % LINK_FRAMES].bytes
                                                : NULL;
}

static void send(void *context, size_t length) {
    struct link_model *model = context;
    struct link_queue *queue = &model->from_stack;
    queue->frames[queue->in++ % LINK_FRAMES].length = length;
}

static const uint8_t *receive(void *context, size_t *length) {
    struct link_model *model = context;
    struct link_queue *queue = &model->to_stack;
    const struct link_frame *frame = &queue->frames[queue->out % LINK_FRAMES];
    if (queue->in == queue->out) {
        return NULL;
    }
    *length = frame->length;
    if (model->given == NULL) {
        model->given = malloc(frame->length);
        memcpy(model->given, frame->bytes, frame->length);
    }
    return model->given;
}

static void release(void *context) {
    struct link_model *model = context;
    free(model->given);
    model->given = NULL;
    model->to_stack.out++;
}

void link_model_init(struct link_model *model) {
    static const uint8_t mac[] = {0x02, 0x6b, 0x79, 0x6d, 0x6f, 0x01};
    memset(model, 0, sizeof *model);
    model->link = (struct kymo_net_link){
        .claim = claim, .send = send, .receive = receive, .release = release, .context = model};
    memcpy(model->link.mac, mac, sizeof mac);
    model->room = LINK_FRAMES;
}

bool link_model_put(struct link_model *model, const uint8_t *bytes, size_t length) {
    struct link_queue *queue = &model->to_stack;
    if (queue->in - queue->out == LINK_FRAMES || length > KYMO_NET_FRAME_BYTES) {
        return false;
    }
    struct link_frame *frame = &queue->frames[queue->in++ % LINK_FRAMES];
    memcpy(frame->bytes, bytes, length);
    frame->length = length;
    return true;
}

const struct link_frame *link_model_take(struct link_model *model) {
    struct link_queue *queue = &model->from_stack;
    return queue->in != queue->out ? &queue->frames[queue->out++ % LINK_FRAMES] : NULL;
}
