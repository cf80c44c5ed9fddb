/* SPDX-License-Identifier: MIT */
/* The DWC2's model on the bus: it takes the place of tests/usb/model.c. */
#include <string.h>

#include "dwc2_state.h"

/* ---- tokens ---- */

static bool heard(const struct model_token *token) {
    return dwc2_attached() && token->address == core.address;
}

static void end_setup(void) {
    if (core.setup_open) {
        core.setup_open = false;
        dwc2_add_received(4, 0, NULL, 0);
        dwc2_raise();
    }
}

enum model_answer model_setup(struct model *model, const struct model_token *token) {
    (void)model;
    if (!heard(token) || token->length != 8) {
        return MODEL_SILENT;
    }
    if (core.out[0].tsiz >> 29 == 0) {
        bus_wrong("a SETUP finds no room: STUPCNT is 0");
    }
    core.out[0].tsiz -= 1u << 29;
    core.in[0].ctl = (core.in[0].ctl | CTL_NAK) & ~(uint32_t)CTL_STALL;
    core.out[0].ctl = (core.out[0].ctl | CTL_NAK) & ~(uint32_t)CTL_STALL;
    core.out[0].ctl &= core.kind.setup_keeps_enable ? UINT32_MAX : ~CTL_EPENA;
    core.in[0].toggle = core.out[0].toggle = 1;
    dwc2_add_received(6, 0, token->bytes, 8);
    core.setup_open = true;
    if (!core.kind.setup_done_late) {
        end_setup();
    }
    dwc2_raise();
    return MODEL_ACK;
}

enum model_answer model_out(struct model *model, const struct model_token *token) {
    struct out_endpoint *out = &core.out[token->endpoint & 3];
    (void)model;
    if (!heard(token) || (out->ctl & CTL_USBAEP) == 0) {
        return MODEL_SILENT;
    }
    if ((token->endpoint & 0xf) == 0) {
        end_setup();
    }
    if ((out->ctl & CTL_STALL) != 0) {
        return MODEL_STALL;
    }
    if ((out->ctl & CTL_NAK) != 0 || (out->ctl & CTL_EPENA) == 0 ||
        dwc2_words_received() + 2u + (token->length + 3u) / 4u > core.grxfsiz) {
        return MODEL_NAK;
    }
    if (token->toggle == out->toggle) {
        out->toggle ^= 1;
        out->ctl = (out->ctl | CTL_NAK) & ~CTL_EPENA;
        dwc2_add_received(2, token->endpoint & 0xf, token->bytes, token->length);
        dwc2_add_received(3, token->endpoint & 0xf, NULL, 0);
        dwc2_raise();
    }
    return MODEL_ACK;
}

static void acknowledged(struct in_endpoint *in) {
    in->toggle ^= 1;
    in->ctl &= ~CTL_EPENA;
    in->words = 0;
    in->interrupt |= 1;
    if (in == &core.in[0] && (in->tsiz & 0x7f) == 0) {
        core.address = core.dcfg >> 4 & 0x7f;
    }
    dwc2_raise();
}

enum model_answer model_in(struct model *model, const struct model_token *token, bool acknowledge,
                           struct model_data *data) {
    struct in_endpoint *in = &core.in[token->endpoint & 3];
    (void)model;
    if (!heard(token) || (in->ctl & CTL_USBAEP) == 0) {
        return MODEL_SILENT;
    }
    if ((token->endpoint & 0xf) == 0) {
        end_setup();
    }
    if ((in->ctl & CTL_STALL) != 0) {
        return MODEL_STALL;
    }
    if ((in->ctl & CTL_NAK) != 0 || (in->ctl & CTL_EPENA) == 0) {
        return MODEL_NAK;
    }
    data->toggle = in->toggle;
    data->length = in->tsiz & 0x7f;
    memcpy(data->bytes, in->word, data->length);
    if (acknowledge) {
        acknowledged(in);
    }
    return MODEL_DATA;
}

/* DAD, FIFOs and EPENA stay as they are: they are the driver's to clear. */
void model_bus_reset(struct model *model) {
    (void)model;
    if (!dwc2_attached()) {
        return;
    }
    for (unsigned i = 1; i < 4; i++) {
        core.in[i].ctl &= ~(uint32_t)CTL_USBAEP;
        core.out[i].ctl &= ~(uint32_t)CTL_USBAEP;
    }
    core.in[0].ctl |= CTL_USBAEP;
    core.out[0].ctl |= CTL_USBAEP;
    core.setup_open = false;
    core.dsts &= ~1u;
    core.latched |= 1u << 12 | 1u << 13;
    dwc2_raise();
}

void model_suspend(struct model *model, bool on) {
    (void)model;
    core.dsts = (core.dsts & ~1u) | (on ? 1u : 0u);
    core.latched |= on ? 1u << 11 : INT_WKUP;
    dwc2_raise();
}

void model_cable(struct model *model, bool on) {
    (void)model;
    core.cable = on;
    if (!on && (core.gccfg & 1u << 19) != 0) {
        core.gotgint |= 1u << 2;
        dwc2_raise();
    }
}
