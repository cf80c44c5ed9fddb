/* SPDX-License-Identifier: MIT */
/* What the two halves of the DWC2's model share: dwc2_core.c has the registers, dwc2_bus.c the tokens. */
#ifndef TESTS_DWC2_STATE_H
#define TESTS_DWC2_STATE_H

#include "dwc2_core.h"

#define CORE_WORDS 320u

struct in_endpoint {
    uint32_t ctl, interrupt, tsiz;
    uint8_t toggle;
    uint32_t word[CORE_WORDS];
    unsigned words;
};

struct out_endpoint {
    uint32_t ctl, tsiz;
    uint8_t toggle;
};

/* What stands in the receive FIFO: a status word, and data behind it. */
struct received {
    uint32_t status;
    uint8_t bytes[64];
    unsigned length;
};

struct core {
    struct dwc2_kind kind;
    void (*interrupt)(void);
    bool in_interrupt, cable, vbus_seen;
    uint32_t gotgctl, gotgint, gahbcfg, gusbcfg, latched, gintmsk, grxfsiz, gccfg;
    uint32_t txf[4], dcfg, dctl, dsts, diepmsk, daintmsk;
    struct in_endpoint in[4];
    struct out_endpoint out[4];
    struct received received[32];
    unsigned received_count;
    unsigned unread; /* bytes of the entry that was popped last */
    struct received popped;
    uint8_t address; /* that it answers to; DAD is what it will be */
    bool setup_open; /* no token since the last SETUP */
    int writing;     /* IN endpoint whose packet is not all in the FIFO; -1: none */
    unsigned accesses, reset_looks, idle_looks, mode_looks;
};
extern struct core core;

enum {
    CTL_USBAEP = 1 << 15,
    CTL_NAK = 1 << 17,
    CTL_STALL = 1 << 21,
    CTL_CNAK = 1 << 26,
    CTL_SNAK = 1 << 27,
    CTL_SD0PID = 1 << 28,
    CTL_EPDIS = 1 << 30
};
#define CTL_EPENA (1u << 31)
/* What a write leaves as it is written: greatest packet, active, type, STALL, number of the FIFO. */
#define CTL_PLAIN 0x03ec87ffu
#define INT_WKUP (1u << 31)

/* Puts an entry into the receive FIFO: GRXSTSP's PKTSTS. */
void dwc2_add_received(unsigned what, unsigned endpoint, const uint8_t *bytes, size_t length);
unsigned dwc2_words_received(void);
/* Calls the driver's handler as long as the core raises its interrupt. */
void dwc2_raise(void);

#endif
