/* SPDX-License-Identifier: MIT */
/* The DHCP client by a scripted server: RFC 2131, figure 5. */
#include <string.h>

#include "cases.h"
#include "net/script.h"

static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

FIXTURE(start) {
    script_begin(0);
    return 0;
}

enum { DISCOVER = 1, OFFER = 2, REQUEST = 3, DECLINE = 4, DHCP_ACK = 5, NAK = 6 };
#define SERVER KYMO_NET_ADDRESS(10, 0, 0, 9)
#define OFFERED KYMO_NET_ADDRESS(10, 0, 0, 77)
enum { BOOTP = 42, BOOTP_XID = BOOTP + 4, BOOTP_MAC = BOOTP + 28, BOOTP_OPTIONS = BOOTP + 240 };

/* An option of the client's message: its value's place, or 0. */
static size_t option_at(const struct packet *packet, uint8_t option) {
    for (size_t at = BOOTP_OPTIONS; at < packet->length && packet->bytes[at] != 255;) {
        if (packet->bytes[at] == option) {
            return at + 2;
        }
        at += 2u + packet->bytes[at + 1];
    }
    return 0;
}

static struct packet hear_client(uint8_t type) {
    const struct packet packet = script_hear_packet();
    assert_true(packet_checksums_right(&packet));
    assert_int_equal(packet.bytes[23], UDP);
    assert_int_equal(packet_get16(&packet, 34), 68);
    assert_int_equal(packet_get16(&packet, 36), 67);
    assert_true(packet.length >= BOOTP + 300);
    assert_int_equal(packet.bytes[BOOTP], 1);
    assert_memory_equal(packet.bytes + BOOTP_MAC, wire.link.mac, 6);
    assert_int_equal(packet_get32(&packet, BOOTP + 236), 0x63825363);
    assert_int_equal(packet.bytes[option_at(&packet, 53)], type);
    return packet;
}

static void answer_client(const struct packet *question, uint8_t type, uint32_t lease_s,
                          size_t cut) {
    uint8_t bootp[300] = {2, 1, 6};
    struct packet packet = {.length = 300};
    memcpy(bootp + 4, question->bytes + BOOTP_XID, 4);
    memcpy(bootp + 28, wire.link.mac, 6);
    memcpy(packet.bytes, bootp, sizeof bootp);
    packet_put32(&packet, 16, type == NAK ? 0 : OFFERED);
    packet_put32(&packet, 236, 0x63825363);
    memcpy(packet.bytes + 240, "\0\x35\x01", 3); /* padding first */
    packet.bytes[243] = type;
    memcpy(packet.bytes + 244, "\x36\x04", 2);
    packet_put32(&packet, 246, SERVER);
    memcpy(packet.bytes + 250, "\x33\x04", 2);
    packet_put32(&packet, 252, lease_s);
    packet.bytes[256] = 255;
    memcpy(bootp, packet.bytes, sizeof bootp);
    packet_udp(&packet, wire.link.mac, host_mac, SERVER, OFFERED, 67, 68, bootp,
               sizeof bootp - cut);
    script_put(&packet);
}

static struct packet hear_client_after(uint32_t ms, uint8_t type) {
    const uint32_t begin = now_ms;
    while (script_silent() && now_ms - begin < ms + 2000) {
        script_wait(10);
    }
    assert_in_range(now_ms - begin, ms, ms + 1010);
    return hear_client(type);
}

static void get_address(uint32_t lease_s) {
    kymo_net_poll(&net);
    struct packet question = hear_client(DISCOVER);
    assert_int_equal(packet_get32(&question, 26), 0);
    assert_memory_equal(question.bytes + option_at(&question, 12), "test board", 10);
    answer_client(&question, OFFER, lease_s, 0);
    kymo_net_poll(&net);
    question = hear_client(REQUEST);
    assert_int_equal(packet_get32(&question, option_at(&question, 50)), OFFERED);
    assert_int_equal(packet_get32(&question, option_at(&question, 54)), SERVER);
    assert_int_equal(kymo_net_address(&net), 0);
    answer_client(&question, DHCP_ACK, lease_s, 0);
    assert_int_equal(kymo_net_address(&net), OFFERED);
    script_wait(5000); /* the announcements of ARP */
    script_forget();
}

CASE(an_address_is_got, start) {
    get_address(3600);
    script_wait(1000000);
    assert_true(script_silent());
    assert_int_equal(kymo_net_address(&net), OFFERED);
}

CASE(a_server_that_does_not_answer_is_asked_less_and_less_often, start) {
    static const uint32_t pauses_ms[] = {2000, 4000, 8000, 16000, 32000, 64000, 64000};
    kymo_net_poll(&net);
    (void)hear_client(DISCOVER);
    for (size_t i = 0; i < sizeof pauses_ms / sizeof pauses_ms[0]; i++) {
        (void)hear_client_after(pauses_ms[i], DISCOVER);
    }
}

CASE(an_offer_that_is_not_confirmed_is_forgotten, start) {
    kymo_net_poll(&net);
    const struct packet question = hear_client(DISCOVER);
    answer_client(&question, OFFER, 3600, 0);
    kymo_net_poll(&net);
    (void)hear_client(REQUEST);
    (void)hear_client_after(2000, REQUEST);
    (void)hear_client_after(4000, REQUEST);
    (void)hear_client_after(8000, REQUEST);
    (void)hear_client_after(16000, DISCOVER);
}

CASE(a_refused_address_is_given_back, start) {
    kymo_net_poll(&net);
    struct packet question = hear_client(DISCOVER);
    answer_client(&question, OFFER, 3600, 0);
    kymo_net_poll(&net);
    question = hear_client(REQUEST);
    answer_client(&question, NAK, 0, 0);
    assert_true(script_silent()); /* not at once, or the two would never stop */
    (void)hear_client_after(2000, DISCOVER);
}

CASE(a_lease_is_renewed_at_its_server_then_anywhere, start) {
    get_address(1000);
    script_wait(494000);
    assert_true(script_silent());
    struct packet question = hear_client_after(900, REQUEST);
    assert_memory_equal(question.bytes, host_mac, 6);
    assert_int_equal(packet_get32(&question, 30), SERVER);
    assert_int_equal(packet_get32(&question, BOOTP + 12), OFFERED);
    assert_int_equal(option_at(&question, 50), 0);
    answer_client(&question, DHCP_ACK, 1000, 0);
    script_wait(499000); /* a whole lease again */
    assert_true(script_silent());
    for (uint32_t at_s = 500; at_s <= 980; at_s += 60) {
        question = hear_client_after(at_s == 500 ? 900 : 59900, REQUEST);
        assert_memory_equal(question.bytes, at_s < 875 ? host_mac : everybody, 6);
    }
    script_wait(30000);
    assert_int_equal(kymo_net_address(&net), 0); /* run out */
    (void)hear_client(DISCOVER);
}

CASE(answers_that_do_not_fit_are_left_alone, start) {
    kymo_net_poll(&net);
    const struct packet question = hear_client(DISCOVER);
    struct packet other = question;
    other.bytes[BOOTP_XID] ^= 1u;
    answer_client(&other, OFFER, 3600, 0);
    answer_client(&question, DHCP_ACK, 3600, 0); /* nothing has been asked for yet */
    assert_int_equal(kymo_net_address(&net), 0);
    for (size_t cut = 57; cut <= 300;
         cut++) { /* before the value that says what it is, or shorter */
        answer_client(&question, OFFER, 3600, cut);
        assert_true(script_silent());
    }
    answer_client(&question, OFFER, 3600, 43); /* no end of the options, but all that is needed */
    kymo_net_poll(&net);
    (void)hear_client(REQUEST);
}
