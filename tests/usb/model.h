/* SPDX-License-Identifier: MIT */
/* A device controller in memory, between the stack and a host: it fulfils ports/usb/usb_controller.h on
 * the one side and answers tokens of the bus on the other, with data toggles, NAK and STALL as USB 2.0
 * chapter 8 has them. It holds the stack to the contract: what breaks it calls bus_wrong(). */
#ifndef USB_MODEL_H
#define USB_MODEL_H

#include "usb_controller.h"

/* Stack or device are wrong. The user of the model defines it: a test fails, a program ends. */
_Noreturn void bus_wrong(const char *what);

enum model_answer { MODEL_ACK, MODEL_NAK, MODEL_STALL, MODEL_DATA, MODEL_SILENT };

struct model_endpoint {
    bool open, halted, armed;
    uint8_t toggle; /* of the next packet */
    enum kymo_usb_endpoint_type type;
    size_t max_bytes, length;
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
};

/* An event of the bus that was not reported yet. */
struct model_event {
    enum {
        MODEL_SETUP,
        MODEL_SENT,
        MODEL_RECEIVED,
        MODEL_RESET,
        MODEL_SUSPEND,
        MODEL_RESUME,
        MODEL_DETACH
    } kind;
    uint8_t endpoint;
    size_t length;
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
};

#define MODEL_EVENTS 8u

struct model {
    bool attached, cable;
    bool setup_waits; /* a SETUP packet that was not reported: endpoint 0 answers NAK until then */
    bool stalled;     /* endpoint 0 */
    uint8_t address;
    bool address_waits; /* with address_early: "next_address" counts after the status stage */
    uint8_t next_address;
    struct model_endpoint in[16], out[16];
    struct model_event events[MODEL_EVENTS];
    unsigned event_count;
    bool interrupts;         /* as the stack has it */
    void (*interrupt)(void); /* called at any time while they are on and something has happened */
    bool in_interrupt, polling;
    /* Called in the middle of each call of the controller, as an interrupt of a higher level that the stack
     * cannot keep out. May call whatever an interrupt handler may. */
    void (*preempt)(void);
    bool in_preempt;
    unsigned packets; /* on the bus, for figures */
    struct kymo_usb_controller controller;
};

void model_init(struct model *model, bool address_early);

/* Raises the interrupt if something waits and it is on. The model does so by itself after each token. */
void model_interrupt(struct model *model);

/* ---- the host's side ---- */

struct model_token {
    uint8_t address, endpoint, toggle;
    const uint8_t *bytes;
    size_t length;
};

/* The answer to an IN token. */
struct model_data {
    uint8_t toggle;
    size_t length;
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
};

enum model_answer model_setup(struct model *model, const struct model_token *token);
enum model_answer model_out(struct model *model, const struct model_token *token);
/* Without "acknowledge" the host's handshake is lost, and the same packet comes again. */
enum model_answer model_in(struct model *model, const struct model_token *token, bool acknowledge,
                           struct model_data *data);
void model_bus_reset(struct model *model);
void model_suspend(struct model *model, bool on);
void model_cable(struct model *model, bool on);
/* Whether a host sees a device: cable and pull-up. */
static inline bool model_seen(const struct model *model) { return model->attached && model->cable; }

#endif
