/* SPDX-License-Identifier: MIT */
/* The layers below TCP: checksum, ARP, IPv4, ICMP. */
#include <string.h>

#include "cases.h"
#include "net/script.h"
#include "net_checksum.h"

static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* ---- checksum: the example of RFC 1071 section 3 ---- */

CASE(the_sum_of_the_example_is_right) {
    static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    assert_int_equal(kymo_checksum_add(0, bytes, sizeof bytes), 0x2ddf0);
    assert_int_equal(kymo_checksum_end(0x2ddf0), 0xffff - 0xddf2);
}

CASE(an_odd_byte_counts_as_the_high_one) {
    static const uint8_t bytes[] = {0x12, 0x34, 0x56};
    assert_int_equal(kymo_checksum_add(0, bytes, 3), 0x1234 + 0x5600);
}

CASE(carries_are_all_brought_round) {
    static uint8_t bytes[65534];
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(kymo_checksum_end(kymo_checksum_add(0, bytes, sizeof bytes)), 0);
    assert_int_equal(kymo_checksum_end(0x1ffffu), 0xfffe);
}

/* ---- ARP ---- */

static struct packet arp(uint32_t operation, uint32_t sender, uint32_t target) {
    struct packet packet = {.length = 60};
    static const uint8_t fixed[] = {0x08, 0x06, 0, 1, 8, 0, 6, 4};
    memcpy(packet.bytes, everybody, 6);
    memcpy(packet.bytes + 6, host_mac, 6);
    memcpy(packet.bytes + 12, fixed, sizeof fixed);
    packet_put16(&packet, 20, operation);
    memcpy(packet.bytes + 22, host_mac, 6);
    packet_put32(&packet, 28, sender);
    packet_put32(&packet, 38, target);
    return packet;
}

CASE(who_asks_for_the_address_is_answered, script_setup) {
    const struct packet request = arp(1, HOST_ADDRESS, BOARD_ADDRESS);
    script_put(&request);
    const struct packet reply = script_hear_packet();
    assert_int_equal(reply.length, 60);
    assert_memory_equal(reply.bytes, host_mac, 6);
    assert_memory_equal(reply.bytes + 6, wire.link.mac, 6);
    assert_memory_equal(reply.bytes + 12, request.bytes + 12, 8);
    assert_int_equal(packet_get16(&reply, 20), 2);
    assert_memory_equal(reply.bytes + 22, wire.link.mac, 6);
    assert_int_equal(packet_get32(&reply, 28), BOARD_ADDRESS);
    assert_memory_equal(reply.bytes + 32, host_mac, 6);
    assert_int_equal(packet_get32(&reply, 38), HOST_ADDRESS);
}

CASE(other_arp_is_left_alone, script_setup) {
    struct packet packet = arp(1, HOST_ADDRESS, BOARD_ADDRESS + 1u);
    script_put(&packet);
    packet = arp(2, HOST_ADDRESS, BOARD_ADDRESS);
    script_put(&packet);
    packet = arp(1, HOST_ADDRESS, BOARD_ADDRESS);
    packet.bytes[17] = 7; /* another protocol */
    script_put(&packet);
    assert_int_equal(counters->not_for_us, 3);
    packet = arp(1, HOST_ADDRESS, BOARD_ADDRESS);
    packet.length = 41;
    script_put(&packet);
    assert_int_equal(counters->malformed, 1);
    packet = arp(1, BOARD_ADDRESS, BOARD_ADDRESS);
    script_put(&packet);
    assert_int_equal(counters->address_conflict, 1);
    assert_true(script_silent());
}

CASE(the_address_is_announced_twice, script_setup) {
    script_begin(BOARD_ADDRESS);
    for (uint32_t at_ms = 0; at_ms < 10000; at_ms += 10) {
        script_wait(10);
        if (script_silent()) {
            continue;
        }
        const struct packet packet = script_hear_packet();
        assert_memory_equal(packet.bytes, everybody, 6);
        assert_int_equal(packet_get32(&packet, 28), BOARD_ADDRESS);
        assert_int_equal(packet_get32(&packet, 38), BOARD_ADDRESS);
        assert_true(at_ms == 0 || at_ms == 2000);
    }
    assert_int_equal(kymo_net_counters(&net)->frames_out, 2);
}

/* ---- IPv4 ---- */

static struct packet echo(size_t length) {
    struct packet packet;
    uint8_t payload[1480] = {8};
    for (size_t i = 4; i < length; i++) {
        payload[i] = (uint8_t)i;
    }
    packet_ipv4(&packet, wire.link.mac, host_mac, HOST_ADDRESS, BOARD_ADDRESS, ICMP, payload,
                length);
    return packet;
}

static void is_dropped(struct packet packet, const uint32_t *counter) {
    const uint32_t before = *counter;
    script_put(&packet);
    assert_int_equal(*counter, before + 1u);
    assert_true(script_silent());
}

CASE(damaged_headers_are_dropped_and_counted, script_setup) {
    static const struct {
        size_t at;
        uint8_t value;
    } damages[] = {
        {14, 0x65},             /* version 6 */
        {14, 0x44},             /* a header of 16 bytes */
        {14, 0x4f},             /* one longer than the packet */
        {16, 0xff}, {17, 0x13}, /* more, or less, than there is */
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct packet packet = echo(30);
        packet.bytes[damages[i].at] = damages[i].value;
        is_dropped(packet, &counters->malformed);
    }
    struct packet packet = echo(30);
    packet.length = 20;
    is_dropped(packet, &counters->malformed);
    packet.length = 13;
    is_dropped(packet, &counters->malformed);
    packet = echo(30);
    packet.bytes[22] ^= 1u;
    is_dropped(packet, &counters->bad_checksum);
    packet = echo(30);
    packet.bytes[50] ^= 1u;
    is_dropped(packet, &counters->bad_checksum);
}

CASE(fragments_are_dropped_and_counted, script_setup) {
    struct packet packet = echo(32);
    packet.bytes[20] = 0x20; /* more of them follow */
    packet_checksums(&packet);
    is_dropped(packet, &counters->fragments);
    packet.bytes[20] = 0x00;
    packet.bytes[21] = 4; /* the rest of one */
    packet_checksums(&packet);
    is_dropped(packet, &counters->fragments);
    packet.bytes[20] = 0x40; /* one that must not be cut is not a fragment */
    packet.bytes[21] = 0;
    packet_checksums(&packet);
    script_put(&packet);
    assert_int_equal(script_hear_packet().bytes[34], 0);
}

CASE(addresses_that_no_host_has_are_dropped, script_setup) {
    static const uint32_t sources[] = {0u, 0x7f000001u, 0xe0000001u, 0xffffffffu, BOARD_ADDRESS};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct packet packet = echo(30);
        packet_put32(&packet, 26, sources[i]);
        packet_checksums(&packet);
        is_dropped(packet, &counters->bad_source);
    }
    struct packet packet = echo(30);
    packet_put32(&packet, 30, BOARD_ADDRESS + 1u);
    packet_checksums(&packet);
    is_dropped(packet, &counters->not_for_us);
    packet = echo(30);
    packet.bytes[0] ^= 2u; /* another interface's */
    is_dropped(packet, &counters->not_for_us);
    packet = echo(30);
    packet.bytes[6] |= 1u; /* from a group */
    is_dropped(packet, &counters->malformed);
}

CASE(a_request_to_all_is_not_answered, script_setup) {
    struct packet packet = echo(30);
    memcpy(packet.bytes, everybody, 6);
    is_dropped(packet, &counters->not_for_us);
    struct segment segment = {.source = HOST_ADDRESS,
                              .destination = 0xffffffffu,
                              .source_port = 5,
                              .destination_port = KYMO_NET_PORT,
                              .flags = SYN};
    memcpy(segment.destination_mac, everybody, 6);
    memcpy(segment.source_mac, host_mac, 6);
    packet_tcp(&packet, &segment);
    is_dropped(packet, &counters->not_for_us);
}

/* Messages of the protocols above IPv4, in a packet that ends with them. */
CASE(damaged_messages_are_dropped_and_counted, script_setup) {
    static const uint8_t udp_too_long[] = {0, 67, 0, 68, 0, 9, 0, 0},
                         udp_too_short[] = {0, 67, 0, 68, 0, 7, 0, 0};
    uint8_t tcp[24] = {1, 1, 0x1b, 0x54};
    const struct {
        uint8_t protocol;
        const uint8_t *bytes;
        size_t length;
        uint8_t offset; /* of TCP's data */
    } messages[] = {
        {ICMP, tcp, 7, 0},          {UDP, udp_too_long, 7, 0}, {UDP, udp_too_long, 8, 0},
        {UDP, udp_too_short, 8, 0}, {TCP, tcp, 19, 0x50},      {TCP, tcp, 24, 0x40},
        {TCP, tcp, 24, 0x70},       {TCP, tcp, 20, 0x60},
    };
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        struct packet packet;
        tcp[12] = messages[i].offset;
        packet_ipv4(&packet, wire.link.mac, host_mac, HOST_ADDRESS, BOARD_ADDRESS,
                    messages[i].protocol, messages[i].bytes, messages[i].length);
        packet.length = 34 + messages[i].length;
        is_dropped(packet, &counters->malformed);
    }
}

/* The segment size that the stack has read from a request shows in the data it sends. */
CASE(options_of_a_request_are_read_as_far_as_they_are_whole, script_setup) {
    static const struct {
        uint8_t options[12];
        size_t expected;
    } requests[] = {
        {{2, 4, 4, 0}, 1024},
        {{1, 1, 3, 3, 7, 2, 4, 4, 0}, 1024},
        {{8, 0, 2, 4, 4, 0}, 536},
        {{2, 3, 4, 1, 1}, 536},
        {{0, 2, 4, 4, 0}, 536},
        {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, 536},
        {{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 4}, 536},
        {{2, 4, 0, 1}, 64},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        uint8_t tcp[32] = {0x9c, 0x40, 0x1b, 0x54, 0xff, 0xff, 0xff, 0xf0,
                           0,    0,    0,    0,    0x80, SYN,  0xff};
        struct packet packet;
        static uint8_t sample[4096];
        script_start(BOARD_ADDRESS);
        memcpy(tcp + 20, requests[i].options, 12);
        packet_ipv4(&packet, wire.link.mac, host_mac, HOST_ADDRESS, BOARD_ADDRESS, TCP, tcp,
                    sizeof tcp);
        script_put(&packet);
        host.acknowledgment = script_hear().sequence + 1u;
        host.sequence++;
        script_say(ACK, NULL, 0);
        script_write(sample, sizeof sample);
        assert_int_equal(script_hear().length, requests[i].expected);
    }
}

CASE(options_of_a_header_are_stepped_over, script_setup) {
    struct packet packet = echo(30), with;
    with = packet;
    memmove(with.bytes + 14 + 24, packet.bytes + 34, 30);
    with.bytes[14] = 0x46;
    memset(with.bytes + 34, 1, 4);
    packet_put16(&with, 16, 54);
    with.length = 14 + 54;
    packet_put16(&with, 24, 0);
    uint32_t sum = 0;
    for (size_t i = 14; i < 38; i += 2) {
        sum += packet_get16(&with, i);
    }
    packet_put16(&with, 24, ~(sum + sum / 65536u));
    script_put(&with);
    assert_memory_equal(script_hear_packet().bytes + 38, packet.bytes + 38, 26);
}

CASE(padding_behind_a_packet_is_no_data, script_setup) {
    struct packet packet = echo(9);
    assert_int_equal(packet.length, 60);
    memset(packet.bytes + 43, 0xee, 17);
    script_put(&packet);
    const struct packet reply = script_hear_packet();
    assert_int_equal(packet_get16(&reply, 16), 29);
    assert_int_equal(reply.bytes[43], 0);
}
