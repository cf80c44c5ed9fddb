/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <string.h>

static struct model_endpoint *endpoint_of(struct model *model, uint8_t address) {
    if ((address & 0x70) != 0) {
        bus_wrong("an endpoint address with reserved bits");
    }
    return &((address & 0x80) != 0 ? model->in : model->out)[address & 0xf];
}

/* ---- events ---- */

void model_interrupt(struct model *model) {
    if (model->event_count != 0 && model->interrupts && model->interrupt != NULL &&
        !model->in_interrupt) {
        model->in_interrupt = true;
        model->interrupt();
        model->in_interrupt = false;
    }
}

static void add_event(struct model *model, const struct model_event *event) {
    if (model->event_count == MODEL_EVENTS) {
        bus_wrong("the model's queue is full"); /* a host's token beyond what endpoints can hold */
    }
    model->events[model->event_count++] = *event;
}

/* Suspend and resume of a busy host would fill the queue: the last state is what counts. */
static void add_state(struct model *model, const struct model_event *event) {
    unsigned kept = 0;
    for (unsigned i = 0; i < model->event_count; i++) {
        if (model->events[i].kind != MODEL_SUSPEND && model->events[i].kind != MODEL_RESUME) {
            model->events[kept++] = model->events[i];
        }
    }
    model->event_count = kept;
    add_event(model, event);
}

static void close_all(struct model *model, unsigned first) {
    for (unsigned i = first; i < 16; i++) {
        model->in[i] = (struct model_endpoint){.open = i == 0, .max_bytes = KYMO_USB_PACKET_BYTES};
        model->out[i] = model->in[i];
    }
}

static void forget_all(struct model *model) {
    close_all(model, 0);
    model->stalled = model->setup_waits = model->address_waits = false;
    model->address = 0;
    model->event_count = 0;
}

/* ---- functions that the stack calls ---- */

static void preempt(struct model *model) {
    if (model->preempt != NULL && !model->in_preempt) {
        model->in_preempt = true;
        model->preempt();
        model->in_preempt = false;
    }
}

static void inside(struct model *model) {
    preempt(model);
    if (model->interrupts) {
        bus_wrong("a call of the controller while its interrupt is on");
    }
}

static void do_attach(void *context, bool on) {
    struct model *model = context;
    inside(model);
    model->attached = on;
    forget_all(model);
}

static void do_address(void *context, uint8_t address) {
    struct model *model = context;
    inside(model);
    if (address > 127) {
        bus_wrong("an address above 127");
    }
    if (model->controller.address_early) {
        model->address_waits = true;
        model->next_address = address;
    } else {
        model->address = address;
    }
}

static void do_open(void *context, uint8_t address, enum kymo_usb_endpoint_type type,
                    unsigned max_bytes) {
    struct model *model = context;
    inside(model);
    if ((address & 0xf) == 0 || max_bytes == 0 || max_bytes > KYMO_USB_PACKET_BYTES ||
        type == KYMO_USB_ENDPOINT_CONTROL) {
        bus_wrong("open() of something that is no endpoint");
    }
    *endpoint_of(model, address) =
        (struct model_endpoint){.open = true, .type = type, .max_bytes = max_bytes};
}

static void do_close(void *context) {
    inside(context);
    close_all(context, 1);
}

static void do_halt(void *context, uint8_t address, bool on) {
    struct model *model = context;
    struct model_endpoint *endpoint = endpoint_of(model, address);
    inside(model);
    if ((address & 0xf) == 0 || !endpoint->open) {
        bus_wrong("halt() of an endpoint that is not open, or of endpoint 0");
    }
    endpoint->halted = on;
    endpoint->armed = false;
    endpoint->toggle = on ? endpoint->toggle : 0;
}

static void do_stall(void *context) {
    struct model *model = context;
    inside(model);
    model->stalled = true;
}

static void do_send(void *context, uint8_t address, const uint8_t *bytes, size_t length) {
    struct model *model = context;
    struct model_endpoint *endpoint = endpoint_of(model, (uint8_t)(address | 0x80));
    inside(model);
    if (!endpoint->open || endpoint->halted || ((address & 0xf) != 0 && (address & 0x80) == 0)) {
        bus_wrong("send() to an endpoint that is not open, halted, or OUT");
    }
    if (endpoint->armed || length > endpoint->max_bytes) {
        bus_wrong("send() where a packet is armed, or of too long a packet");
    }
    endpoint->armed = true;
    endpoint->length = length;
    memcpy(endpoint->bytes, bytes, length);
}

static void do_receive(void *context, uint8_t address) {
    struct model *model = context;
    struct model_endpoint *endpoint = endpoint_of(model, address);
    inside(model);
    if (!endpoint->open || endpoint->halted || endpoint->armed || (address & 0x80) != 0) {
        bus_wrong("receive() of an endpoint that is not open, halted, armed, or IN");
    }
    endpoint->armed = true;
}

/* Endpoint 0 forgets here, not at the token: the driver must drop whatever the stack armed before it knew. */
static void report_setup(struct model *model, struct kymo_usb_device *device,
                         const uint8_t *bytes) {
    model->in[0].armed = model->out[0].armed = model->stalled = model->setup_waits = false;
    model->in[0].toggle = model->out[0].toggle = 1;
    kymo_usb_on_setup(device, bytes);
}

static void report(struct model *model, struct kymo_usb_device *device,
                   const struct model_event *event) {
    switch (event->kind) {
    case MODEL_SETUP:
        report_setup(model, device, event->bytes);
        return;
    case MODEL_SENT:
        kymo_usb_on_sent(device, event->endpoint);
        return;
    case MODEL_RECEIVED:
        kymo_usb_on_received(device, event->endpoint, event->bytes, event->length);
        return;
    case MODEL_RESET:
        kymo_usb_on_reset(device);
        return;
    case MODEL_SUSPEND:
        kymo_usb_on_suspend(device);
        return;
    case MODEL_RESUME:
        kymo_usb_on_resume(device);
        return;
    case MODEL_DETACH:
        kymo_usb_on_detach(device);
        return;
    }
}

static void do_poll(void *context, struct kymo_usb_device *device) {
    struct model *model = context;
    inside(model);
    if (model->polling) {
        bus_wrong("poll() within poll()");
    }
    model->polling = true;
    while (model->event_count != 0) {
        const struct model_event event = model->events[0];
        model->event_count--;
        memmove(model->events, model->events + 1, model->event_count * sizeof event);
        report(model, device, &event);
    }
    model->polling = false;
}

static void do_interrupts(void *context, bool on) {
    struct model *model = context;
    preempt(model);
    model->interrupts = on;
    model_interrupt(model);
    preempt(model);
}

void model_init(struct model *model, bool address_early) {
    *model = (struct model){
        .cable = true,
        .interrupts = true,
        .controller = {.attach = do_attach,
                       .address = do_address,
                       .open = do_open,
                       .close = do_close,
                       .halt = do_halt,
                       .stall = do_stall,
                       .send = do_send,
                       .receive = do_receive,
                       .poll = do_poll,
                       .interrupts = do_interrupts,
                       .context = model,
                       .address_early = address_early},
    };
    forget_all(model);
}

/* ---- tokens: USB 2.0, 8.4.5, 8.5, 8.6 ---- */

static bool heard(const struct model *model, const struct model_token *token) {
    return model_seen(model) && token->address == model->address;
}

enum model_answer model_setup(struct model *model, const struct model_token *token) {
    if (!heard(model, token) || (token->endpoint & 0xf) != 0 || token->length != 8 ||
        token->toggle != 0) {
        return MODEL_SILENT; /* damaged, or not for it: 8.4.6.4 */
    }
    struct model_event event = {.kind = MODEL_SETUP, .length = 8};
    memcpy(event.bytes, token->bytes, 8);
    model->packets++;
    model->setup_waits = true;
    model->stalled = false;
    /* The newest counts; one before it that was not looked at is gone (8.4.6.4). */
    for (unsigned i = 0; i < model->event_count; i++) {
        if (model->events[i].kind == MODEL_SETUP) {
            model->event_count--;
            memmove(model->events + i, model->events + i + 1,
                    (model->event_count - i) * sizeof event);
        }
    }
    add_event(model, &event);
    model_interrupt(model);
    return MODEL_ACK;
}

/* ACK where the endpoint can take part. */
static enum model_answer look(const struct model *model, const struct model_token *token,
                              const struct model_endpoint *endpoint) {
    const bool control = (token->endpoint & 0xf) == 0;
    if (!heard(model, token) || !endpoint->open) {
        return MODEL_SILENT;
    }
    if (control && model->setup_waits) {
        return MODEL_NAK;
    }
    if (endpoint->halted || (control && model->stalled)) {
        return MODEL_STALL;
    }
    return endpoint->armed ? MODEL_ACK : MODEL_NAK;
}

enum model_answer model_out(struct model *model, const struct model_token *token) {
    struct model_endpoint *endpoint = &model->out[token->endpoint & 0xf];
    const enum model_answer answer = look(model, token, endpoint);
    if (token->length > endpoint->max_bytes) {
        return MODEL_SILENT;
    }
    if (answer != MODEL_ACK) {
        return answer;
    }
    if (token->toggle != endpoint->toggle) {
        return MODEL_ACK; /* a repetition: 8.6.4 */
    }
    struct model_event event = {
        .kind = MODEL_RECEIVED, .endpoint = token->endpoint & 0xf, .length = token->length};
    if (token->length != 0) {
        memcpy(event.bytes, token->bytes, token->length);
    }
    model->packets++;
    endpoint->armed = false;
    endpoint->toggle ^= 1;
    add_event(model, &event);
    model_interrupt(model);
    return MODEL_ACK;
}

enum model_answer model_in(struct model *model, const struct model_token *token, bool acknowledge,
                           struct model_data *data) {
    struct model_endpoint *endpoint = &model->in[token->endpoint & 0xf];
    const enum model_answer answer = look(model, token, endpoint);
    if (answer != MODEL_ACK) {
        return answer;
    }
    data->toggle = endpoint->toggle;
    data->length = endpoint->length;
    memcpy(data->bytes, endpoint->bytes, endpoint->length);
    model->packets++;
    if (acknowledge) {
        const uint8_t number = token->endpoint & 0xf;
        endpoint->armed = false;
        endpoint->toggle ^= 1;
        if (number == 0 && model->address_waits && data->length == 0) {
            model->address = model->next_address;
            model->address_waits = false;
        }
        add_event(model,
                  &(struct model_event){.kind = MODEL_SENT,
                                        .endpoint = number != 0 ? (uint8_t)(number | 0x80) : 0});
        model_interrupt(model);
    }
    return MODEL_DATA;
}

void model_bus_reset(struct model *model) {
    if (model_seen(model)) {
        forget_all(model);
        add_event(model, &(struct model_event){.kind = MODEL_RESET});
        model_interrupt(model);
    }
}

void model_suspend(struct model *model, bool on) {
    if (model_seen(model)) {
        add_state(model, &(struct model_event){.kind = on ? MODEL_SUSPEND : MODEL_RESUME});
        model_interrupt(model);
    }
}

void model_cable(struct model *model, bool on) {
    const bool seen = model->cable && !on;
    model->cable = on;
    if (seen) {
        forget_all(model);
        add_event(model, &(struct model_event){.kind = MODEL_DETACH});
        model_interrupt(model);
    }
}
