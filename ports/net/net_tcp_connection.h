/* SPDX-License-Identifier: MIT */
/* The one TCP connection: its state, how it begins and ends. RFC 9293.
 *
 * The peer always opens the connection; the states of the RFC between are two flags here:
 * "closing" is FIN-WAIT-1 or LAST-ACK, "finished" FIN-WAIT-2, "peer_closed" CLOSE-WAIT.
 * Requests for a connection are in net_tcp_listen.h. */
#ifndef KYMO_NET_TCP_CONNECTION_H
#define KYMO_NET_TCP_CONNECTION_H

#include "fifo.h"
#include "net_tcp_congestion.h"
#include "net_tcp_rtt.h"
#include "net_tcp_segment.h"

/* Bytes that wait to be sent or acknowledged, a power of two from 1024 to 32768. As much can be
 * on its way at a time, so the rate is at most this size per round trip: 8 KiB give 800 kB/s at
 * 10 ms. */
#ifndef KYMO_NET_SEND_BYTES
#define KYMO_NET_SEND_BYTES 8192
#endif

/* Bytes received that wait to be read. Commands have at most some tens. */
#ifndef KYMO_NET_RECEIVE_BYTES /* a test has more */
#define KYMO_NET_RECEIVE_BYTES 256
#endif

/* Milliseconds that less than a full segment waits for more to be recorded while others are on
 * their way. */
#define KYMO_NET_FLUSH_MS 20

/* Milliseconds of silence after which the other end is asked whether it is still there. */
#define KYMO_NET_KEEP_ALIVE_MS 10000

/* So many segments in a row without an answer end the connection: some 30 seconds. RFC 9293
 * section 3.8.3 wants 100 s; here one dead host keeps all others out. */
#define KYMO_NET_TRIES 10

#if KYMO_NET_SEND_BYTES < 1024 || KYMO_NET_SEND_BYTES > 32768 ||                                   \
    (KYMO_NET_SEND_BYTES & (KYMO_NET_SEND_BYTES - 1)) != 0
#error "KYMO_NET_SEND_BYTES must be a power of two from 1024 to 32768"
#endif

enum kymo_tcp_state { KYMO_TCP_NONE, KYMO_TCP_OPEN, KYMO_TCP_TIME_WAIT };
enum kymo_tcp_timer_use { KYMO_TCP_TIMER_OFF, KYMO_TCP_TIMER_AGAIN, KYMO_TCP_TIMER_PROBE };

struct kymo_tcp_connection {
    struct kymo_interface *interface;
    enum kymo_tcp_state state;
    uint16_t port; /* our own */
    struct kymo_tcp_peer peer;
    uint32_t mss; /* most data in a segment to the peer */

    /* Sending: RFC 9293 section 3.3.1, SND.UNA, SND.NXT. What has been sent goes up to
     * "highest"; after a timeout "next" goes back and sends it again. */
    struct kymo_fifo out;
    uint32_t unacknowledged;
    uint32_t next;
    uint32_t highest;
    uint32_t window;
    uint32_t largest_window;
    uint32_t window_sequence;       /* SND.WL1 */
    uint32_t window_acknowledgment; /* SND.WL2 */
    uint32_t waiting_since_ms;      /* the unsent bytes wait since then */
    struct kymo_tcp_rtt rtt;
    struct kymo_tcp_congestion congestion;

    /* Receiving: RCV.NXT, and the end of the window as last sent. */
    struct kymo_fifo in;
    uint32_t expected;
    uint32_t advertised;
    bool acknowledge; /* an acknowledgement is due */

    /* Ending. */
    bool closing;     /* our FIN follows the bytes in "out" */
    bool finished;    /* and has been acknowledged */
    bool peer_closed; /* the peer's FIN has come */
    bool closed_first;
    uint32_t end_at; /* of TIME_WAIT, or of waiting for the peer's FIN */

    /* Timers. */
    enum kymo_tcp_timer_use timer;
    uint32_t timer_at;
    uint32_t probe_wait_ms;
    uint32_t keep_alive_at;
    bool challenged;      /* somebody else wants to connect: is the peer still there? */
    uint8_t unanswered;   /* segments that the peer should have answered */
    uint32_t answered_ms; /* when a doubtful segment was, for the last time */

    uint8_t out_bytes[KYMO_NET_SEND_BYTES];
    uint8_t in_bytes[KYMO_NET_RECEIVE_BYTES];
};

/* Nobody is connected. */
void kymo_tcp_connection_init(struct kymo_tcp_connection *connection,
                              struct kymo_interface *interface, uint16_t port);

/* Begins: the peer has acknowledged our first sequence number in "segment", its first one was
 * "sequence". */
void kymo_tcp_connection_open(struct kymo_tcp_connection *connection,
                              const struct kymo_tcp_segment *segment, uint32_t sequence,
                              uint32_t mss);

/* Ends at once; unsent bytes are dropped. */
void kymo_tcp_connection_end(struct kymo_tcp_connection *connection);

/* The same after an error: counts it, and sends the peer a reset. */
void kymo_tcp_connection_abort(struct kymo_tcp_connection *connection);

/* The peer has shown that it is there. */
void kymo_tcp_connection_heard(struct kymo_tcp_connection *connection);

/* Answers a doubtful segment with the right numbers, so that an honest peer can correct itself;
 * but not without end, or two ends that doubt each other would never stop: RFC 5961 section 7. */
void kymo_tcp_connection_answer(struct kymo_tcp_connection *connection);

/* The window for the next segment to the peer, which then counts as sent. */
uint16_t kymo_tcp_connection_window(struct kymo_tcp_connection *connection);

/* True when it has grown so much that the peer should know: RFC 9293 section 3.8.6.2.2. */
bool kymo_tcp_connection_window_grown(const struct kymo_tcp_connection *connection);

/* Sends a segment without data that says where we are; "back" is how far before "next" it
 * pretends to be. */
void kymo_tcp_connection_acknowledge(struct kymo_tcp_connection *connection, uint32_t back);

/* Bytes in "out" that have not been sent, or must be sent again. */
static inline uint32_t kymo_tcp_connection_unsent(const struct kymo_tcp_connection *connection) {
    const uint32_t sent = connection->next - connection->unacknowledged;
    return sent < connection->out.count ? connection->out.count - sent : 0u;
}

/* A FIN must be sent. */
static inline bool kymo_tcp_connection_fin_due(const struct kymo_tcp_connection *connection) {
    return connection->closing && !connection->finished &&
           connection->next - connection->unacknowledged <= connection->out.count;
}

#endif
