/* SPDX-License-Identifier: MIT */
#include "net_dhcp.h"

#include "net_bytes.h"

/* RFC 2131 section 2, figure 1 */
enum {
    OP = 0,
    HARDWARE = 1, /* type 1, six bytes of address */
    TRANSACTION = 4,
    SECONDS = 8,
    CLIENT_ADDRESS = 12,
    YOUR_ADDRESS = 16,
    CLIENT_MAC = 28,
    COOKIE = 236,
    OPTIONS = 240,
    LEAST_BYTES = 300, /* some relays drop less: RFC 1542 section 2.1 */
};
#define OP_REQUEST 1u
#define OP_REPLY 2u
#define COOKIE_VALUE 0x63825363u

/* RFC 2132 */
#define OPTION_PAD 0u
#define OPTION_HOST_NAME 12u
#define OPTION_ADDRESS 50u
#define OPTION_LEASE 51u
#define OPTION_TYPE 53u
#define OPTION_SERVER 54u
#define OPTION_END 255u
#define NAME_BYTES 32u

enum { DISCOVER = 1, OFFER = 2, REQUEST = 3, ACK = 5, NAK = 6 };

/* RFC 2131 section 4.1 starts with 4 s; a board that has just been switched on is waited for. */
#define FIRST_WAIT_MS 2000u
#define LAST_WAIT_MS 64000u
#define REQUESTS_BEFORE_DISCOVER 4u
#define RENEW_WAIT_MS 60000u /* section 4.4.5 */
/* Times in milliseconds wrap after 49 days, so longer leases are renewed as if they were of a
 * week. */
#define LONGEST_LEASE_S (7u * 24u * 3600u)
#define SHORTEST_LEASE_S 60u

static void begin(struct kymo_dhcp *dhcp, const struct kymo_interface *interface, unsigned state) {
    dhcp->state = state;
    dhcp->tries = 0u;
    dhcp->began_ms = interface->now_ms;
    dhcp->send_at = interface->now_ms;
}

void kymo_dhcp_start(struct kymo_dhcp *dhcp, const struct kymo_interface *interface,
                     const char *name, uint32_t transaction) {
    dhcp->name = name;
    dhcp->transaction = transaction;
    begin(dhcp, interface, KYMO_DHCP_SELECTING);
}

/* ---- out ---- */

static uint8_t *add_option(uint8_t *at, unsigned option, uint32_t value) {
    at[0] = (uint8_t)option;
    at[1] = 4u;
    kymo_put32(at + 2, value);
    return at + 6;
}

static uint8_t *add_name(uint8_t *at, const char *name) {
    const uint8_t length = kymo_text_length(name, NAME_BYTES);
    if (length == 0u) {
        return at;
    }
    at[0] = OPTION_HOST_NAME;
    at[1] = length;
    kymo_put_bytes(at + 2, name, length);
    return at + 2 + length;
}

static void send(const struct kymo_dhcp *dhcp, struct kymo_interface *interface,
                 const struct kymo_ipv4_peer *to) {
    uint8_t *frame = kymo_interface_claim(interface);
    if (frame == NULL) {
        return;
    }
    uint8_t *message = frame + KYMO_UDP_PAYLOAD_AT;
    kymo_put_zeros(message, LEAST_BYTES);
    message[OP] = OP_REQUEST;
    message[HARDWARE] = 1u;
    message[HARDWARE + 1] = KYMO_NET_MAC_BYTES;
    kymo_put32(message + TRANSACTION, dhcp->transaction);
    kymo_put16(message + SECONDS, (interface->now_ms - dhcp->began_ms) / 1000u);
    kymo_put32(message + CLIENT_ADDRESS, interface->address);
    kymo_put_bytes(message + CLIENT_MAC, interface->link->mac, KYMO_NET_MAC_BYTES);
    kymo_put32(message + COOKIE, COOKIE_VALUE);
    uint8_t *option = message + OPTIONS;
    *option++ = OPTION_TYPE;
    *option++ = 1u;
    *option++ = dhcp->state == KYMO_DHCP_SELECTING ? DISCOVER : REQUEST;
    if (dhcp->state == KYMO_DHCP_REQUESTING) {
        option = add_option(option, OPTION_ADDRESS, dhcp->offered);
        option = add_option(option, OPTION_SERVER, dhcp->server.address);
    }
    option = add_name(option, dhcp->name);
    *option = OPTION_END;
    kymo_udp_send(interface, frame, to, KYMO_DHCP_CLIENT_PORT, KYMO_DHCP_SERVER_PORT, LEAST_BYTES);
}

static void send_to_all(const struct kymo_dhcp *dhcp, struct kymo_interface *interface) {
    struct kymo_ipv4_peer all;
    all.address = KYMO_IPV4_BROADCAST;
    kymo_put_bytes(all.mac, kymo_ethernet_broadcast, KYMO_NET_MAC_BYTES);
    send(dhcp, interface, &all);
}

/* Section 4.1: twice the time with each try, and up to a second that differs between boards. */
static uint32_t wait_ms(struct kymo_dhcp *dhcp) {
    const uint32_t doubled = FIRST_WAIT_MS << dhcp->tries;
    if (doubled < LAST_WAIT_MS) {
        dhcp->tries++;
    }
    return doubled + dhcp->transaction % 1000u;
}

/* Section 4.4.5: from half of the lease on its server is asked, from seven eighths on everybody. */
static void renew(struct kymo_dhcp *dhcp, struct kymo_interface *interface) {
    const uint32_t age_ms = interface->now_ms - dhcp->began_ms;
    if (age_ms >= dhcp->lease_ms) {
        interface->address = 0u;
        begin(dhcp, interface, KYMO_DHCP_SELECTING);
        return;
    }
    dhcp->send_at = interface->now_ms + RENEW_WAIT_MS;
    if (age_ms < dhcp->lease_ms / 8u * 7u) {
        send(dhcp, interface, &dhcp->server);
    } else {
        send_to_all(dhcp, interface);
    }
    /* The last wait ends with the lease. */
    if (kymo_reached(dhcp->send_at, dhcp->began_ms + dhcp->lease_ms)) {
        dhcp->send_at = dhcp->began_ms + dhcp->lease_ms;
    }
}

void kymo_dhcp_poll(struct kymo_dhcp *dhcp, struct kymo_interface *interface) {
    if (dhcp->state == KYMO_DHCP_OFF || !kymo_reached(interface->now_ms, dhcp->send_at)) {
        return;
    }
    if (dhcp->state == KYMO_DHCP_BOUND) {
        renew(dhcp, interface);
        return;
    }
    if (dhcp->state == KYMO_DHCP_REQUESTING && dhcp->tries >= REQUESTS_BEFORE_DISCOVER) {
        begin(dhcp, interface, KYMO_DHCP_SELECTING);
    }
    send_to_all(dhcp, interface);
    dhcp->send_at = interface->now_ms + wait_ms(dhcp);
}

/* ---- in ---- */

struct answer {
    unsigned type;
    uint32_t server;
    uint32_t lease_s;
};

static uint32_t option_32(const uint8_t *option) {
    return option[1] >= 4u ? kymo_get32(option + 2) : 0u;
}

/* Options end at OPTION_END, or where the next one would not be whole. */
static struct answer read_options(const uint8_t *options, size_t length) {
    struct answer answer = {0u, 0u, 0u};
    size_t at = 0u;
    while (at < length && options[at] != OPTION_END) {
        const uint8_t *option = options + at;
        if (option[0] == OPTION_PAD) {
            at++;
            continue;
        }
        if (length - at < 2u || length - at - 2u < option[1]) {
            break;
        }
        if (option[0] == OPTION_TYPE && option[1] >= 1u) {
            answer.type = option[2];
        } else if (option[0] == OPTION_SERVER) {
            answer.server = option_32(option);
        } else if (option[0] == OPTION_LEASE) {
            answer.lease_s = option_32(option);
        }
        at += 2u + option[1];
    }
    return answer;
}

static bool is_answer_to_us(const struct kymo_dhcp *dhcp, const struct kymo_interface *interface,
                            const struct kymo_udp_message *message) {
    const uint8_t *bytes = message->payload;
    return message->length >= OPTIONS && bytes[OP] == OP_REPLY &&
           kymo_get32(bytes + TRANSACTION) == dhcp->transaction &&
           kymo_get32(bytes + COOKIE) == COOKIE_VALUE &&
           kymo_bytes_equal(bytes + CLIENT_MAC, interface->link->mac, KYMO_NET_MAC_BYTES);
}

static void bind(struct kymo_dhcp *dhcp, struct kymo_interface *interface, uint32_t address,
                 uint32_t lease_s) {
    lease_s = lease_s > LONGEST_LEASE_S ? LONGEST_LEASE_S : lease_s;
    lease_s = lease_s < SHORTEST_LEASE_S ? SHORTEST_LEASE_S : lease_s;
    interface->address = address;
    begin(dhcp, interface, KYMO_DHCP_BOUND);
    dhcp->lease_ms = lease_s * 1000u;
    dhcp->send_at = dhcp->began_ms + dhcp->lease_ms / 2u;
}

void kymo_dhcp_input(struct kymo_dhcp *dhcp, struct kymo_interface *interface,
                     const struct kymo_datagram *datagram, const struct kymo_udp_message *message) {
    if (dhcp->state == KYMO_DHCP_OFF || !is_answer_to_us(dhcp, interface, message)) {
        interface->counters.not_for_us++;
        return;
    }
    const struct answer answer =
        read_options(message->payload + OPTIONS, message->length - OPTIONS);
    const uint32_t address = kymo_get32(message->payload + YOUR_ADDRESS);
    const bool asked = dhcp->state == KYMO_DHCP_REQUESTING || dhcp->state == KYMO_DHCP_BOUND;
    if (answer.type == OFFER && dhcp->state == KYMO_DHCP_SELECTING && address != 0u) {
        dhcp->offered = address;
        kymo_put_bytes(&dhcp->server, &datagram->source, sizeof datagram->source);
        dhcp->server.address = answer.server;
        begin(dhcp, interface, KYMO_DHCP_REQUESTING);
    } else if (answer.type == ACK && asked && address != 0u) {
        bind(dhcp, interface, address, answer.lease_s);
    } else if (answer.type == NAK && asked) {
        interface->address = 0u;
        begin(dhcp, interface, KYMO_DHCP_SELECTING);
        /* A server that refuses its own offer is not asked without end. */
        dhcp->send_at += FIRST_WAIT_MS;
    }
}
