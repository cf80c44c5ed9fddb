/* SPDX-License-Identifier: MIT */
/* A debug probe as a transport: two rings in RAM that the probe reads and writes while the core runs,
 * found by a control block. The layout is the one called RTT, which J-Link, OpenOCD ("rtt setup") and
 * probe-rs know; it is described in the source of OpenOCD (src/target/rtt.c) and of probe-rs (rtt.rs).
 *
 * Never waits: while nobody reads, the ring is full and takes nothing. A reader that comes later finds the oldest
 * bytes. An overwritten control block is noticed, counted and
 * mended; the firmware never uses an address or a size in it.
 *
 * The probe reads the memory behind the caches: on a core with a data cache that the probe does not see
 * (Cortex-M7, Cortex-A), put the struct and both rings into memory that is not cached. */
#ifndef KYMO_RTT_H
#define KYMO_RTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* Bits of an address in the control block: the core's, as J-Link and probe-rs expect. OpenOCD reads 32 of
 * them on every core: on one of 64 bits with all of this below 4 GiB define it as 32. */
#ifndef KYMO_RTT_ADDRESS_BITS
#if UINTPTR_MAX > 0xffffffffu
#define KYMO_RTT_ADDRESS_BITS 64
#else
#define KYMO_RTT_ADDRESS_BITS 32
#endif
#endif
#if KYMO_RTT_ADDRESS_BITS == 64
typedef uint64_t kymo_rtt_address;
#elif KYMO_RTT_ADDRESS_BITS == 32
typedef uint32_t kymo_rtt_address;
#else
#error "KYMO_RTT_ADDRESS_BITS must be 32 or 64"
#endif

#define KYMO_RTT_ID_BYTES 16u

/* A ring as the probe sees it: empty when write equals read, so it holds one byte less than its size. */
struct kymo_rtt_channel {
    kymo_rtt_address name;   /* of a string */
    kymo_rtt_address buffer; /* of the first byte */
    uint32_t size;           /* in bytes */
    volatile uint32_t write; /* offset of the next byte to write, below size: set by the writer */
    volatile uint32_t read;  /* offset of the next byte to read: set by the reader */
    uint32_t flags; /* action of a writer when it is full; 0: leaves out bytes that do not fit */
};

/* The block that the probe looks for. */
struct kymo_rtt_block {
    volatile uint8_t id[KYMO_RTT_ID_BYTES];
    uint32_t up_channels, down_channels;
    struct kymo_rtt_channel up;   /* to the host */
    struct kymo_rtt_channel down; /* from the host */
};

/* The two rings. Fill it in for kymo_rtt_init(); it need not outlive the call, but the rings must. */
struct kymo_rtt_config {
    const char *name; /* of both channels, shown by the probe's software */
    uint8_t *up, *down;
    uint32_t up_bytes; /* at least 2; a packet's length (KYMO_PACKET_BYTES) or more is sensible */
    uint32_t
        down_bytes; /* at least 2; 64 is plenty, as commands are short. 0: there is no way back */
};

/* One control block. Owned by the caller, in RAM, aligned as C does it; all but "block" is private to the
 * driver. probe-rs finds it at once if the variable is called _SEGGER_RTT; the others search the RAM. */
struct kymo_rtt {
    struct kymo_rtt_block block;
    struct kymo_rtt_config config;
    uint32_t up_write, up_read;     /* ours, and the host's when it was last looked at */
    uint32_t down_write, down_read; /* the host's when it was last looked at, and ours */
    uint32_t overwritten; /* times that the control block was found to be and was mended */
    struct kymo_transport transport;
};

/* Makes the control block; a second call starts again, as a reset does. False if a ring is too small, or lies
 * where its address does not fit; nothing was made then. Main code, before anything else here. */
bool kymo_rtt_init(struct kymo_rtt *rtt, const struct kymo_rtt_config *config);

/* The transport for kymo_init(); valid as long as *rtt. Its calls belong to one context at a time. */
static inline const struct kymo_transport *kymo_rtt_transport(const struct kymo_rtt *rtt) {
    return &rtt->transport;
}

/* True when the probe has read all that was written. Same context as the transport's calls. */
bool kymo_rtt_idle(const struct kymo_rtt *rtt);

/* How often the control block was found overwritten. Same context as the transport's calls. */
static inline uint32_t kymo_rtt_overwritten(const struct kymo_rtt *rtt) { return rtt->overwritten; }

KYMO_C_END

#endif
