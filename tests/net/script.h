/* A host as a test's script plays it, with the stack at the other end of its link and a clock
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
extern struct link_model wire;
extern uint32_t now_ms;
extern const uint8_t host_mac[6];

/* What the host says next. */
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

/* Lets time pass, in steps of at most 10 ms, with a poll at each. */
void script_wait(uint32_t ms);

/* Sends a frame of any kind, and polls. */
void script_put(const struct packet *packet);

/* Sends a segment from the host as it is, and polls. */
void script_say(uint8_t flags, const void *data, size_t length);

/* The next TCP segment of the stack; fails the test when there is none. */
struct segment script_hear(void);

/* Whether the stack has sent anything that was not taken. */
bool script_silent(void);

/* Forgets what the stack has sent. */
void script_forget(void);

/* A connection: handshake by the host, acknowledged. The longest segment that the host takes is
 * "mss". */
void script_connect(uint16_t mss);

/* Bytes into the stack, all of them taken. */
void script_write(const void *bytes, size_t length);

#endif
