/* SPDX-License-Identifier: MIT */
/* A host that a test's script plays, with the stack at the other end of its link and a clock
 * that the script sets. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "kymo_net.h"
#include "link_model.h"
#include "packet.h"

#define BOARD_ADDRESS KYMO_NET_ADDRESS(10, 0, 0, 2)
#define HOST_ADDRESS KYMO_NET_ADDRESS(10, 0, 0, 1)
#define HOST_PORT 40000u
#define HOST_SEQUENCE 0xfffffff0u /* wraps soon */

extern struct kymo_net net;
extern const struct kymo_net_counts *counters;
extern const struct kymo_transport *transport;
extern struct link_model wire;
extern uint32_t now_ms;
extern const uint8_t host_mac[6];

/* Fields of the host's next segment. */
struct host {
    uint32_t address;
    uint16_t port;
    uint32_t sequence;
    uint32_t acknowledgment;
    uint16_t window;
};
extern struct host host;

/* Starts the stack, with a static address or, when that is 0, by DHCP; without a poll. */
void script_begin(uint32_t address);

/* Starts it with a static address, and forgets what it sends at first. */
void script_start(uint32_t address);

/* The same as a fixture of cmocka; and with a host connected. */
int script_setup(void **state);
int script_setup_connected(void **state);

/* Lets time pass, in steps of at most 10 ms, with a poll at each. */
void script_wait(uint32_t ms);

/* Sends a frame of any kind, and polls. */
void script_put(const struct packet *packet);

/* Sends a segment from the host as it is, and polls. */
void script_say(uint8_t flags, const void *data, size_t length);

/* Returns the stack's next frame, of any kind; fails the test if there is no frame. */
struct packet script_hear_packet(void);

/* Returns the stack's next TCP segment; fails the test if there is no segment. */
struct segment script_hear(void);

/* The same, which must be an acknowledgement and nothing more. */
struct segment script_hear_ack(void);

/* Whether the stack has sent anything that was not taken. */
bool script_silent(void);

/* Forgets all that the stack has sent. */
void script_forget(void);

/* A connection: handshake by the host, acknowledged. The longest segment that the host takes is
 * "mss". */
void script_connect(uint16_t mss);

/* Bytes without a meaning; the first 70 are not zero. */
extern uint8_t script_bytes[4096];

/* Bytes into the stack, all of them taken. */
void script_write(const void *bytes, size_t length);

/* Reads all available bytes; returns how many. */
size_t script_read(uint8_t *bytes, size_t size);

/* Data still reach the host, and are acknowledged. */
void script_is_alive(void);

#endif
