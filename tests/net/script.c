/* SPDX-License-Identifier: MIT */
#include "script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct kymo_net net;
const struct kymo_net_counts *counters;
const struct kymo_transport *transport;
uint8_t script_bytes[4096];
struct link_model wire;
uint32_t now_ms;
struct host host;
const uint8_t host_mac[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

static uint32_t clock_ms(void) { return now_ms; }

void script_begin(uint32_t address) {
    struct kymo_net_config config = {.link = &wire.link,
                                     .now_ms = clock_ms,
                                     .address = address,
                                     .name = "test board",
                                     .secret = {1, 2, 3}};
    now_ms = 0xfffffe00u; /* wraps soon */
    host = (struct host){HOST_ADDRESS, HOST_PORT, HOST_SEQUENCE, 0, 60000};
    link_model_init(&wire);
    kymo_net_init(&net, &config);
    counters = kymo_net_counters(&net);
    transport = kymo_net_transport(&net);
    for (size_t i = 0; i < sizeof script_bytes; i++) {
        script_bytes[i] = (uint8_t)(i * 7 + i / 256 + 1);
    }
}

void script_start(uint32_t address) {
    script_begin(address);
    script_wait(5000); /* the announcements of ARP */
    script_forget();
}

int script_setup(void **state) {
    (void)state;
    script_start(BOARD_ADDRESS);
    return 0;
}

int script_setup_connected(void **state) {
    script_setup(state);
    script_connect(1024);
    return 0;
}

void script_wait(uint32_t ms) {
    while (ms > 0) {
        const uint32_t step = ms < 10 ? ms : 10;
        now_ms += step;
        ms -= step;
        kymo_net_poll(&net);
    }
}

void script_put(const struct packet *packet) {
    assert_true(link_model_put(&wire, packet->bytes, packet->length));
    kymo_net_poll(&net);
}

static struct segment segment_of_host(uint8_t flags, const void *data, size_t length) {
    struct segment segment = {.source = host.address,
                              .destination = BOARD_ADDRESS,
                              .source_port = host.port,
                              .destination_port = KYMO_NET_PORT,
                              .sequence = host.sequence,
                              .acknowledgment = host.acknowledgment,
                              .flags = flags,
                              .window = host.window,
                              .length = length};
    memcpy(segment.source_mac, host_mac, 6);
    memcpy(segment.destination_mac, wire.link.mac, 6);
    if (length != 0) {
        memcpy(segment.data, data, length);
    }
    return segment;
}

void script_say(uint8_t flags, const void *data, size_t length) {
    const struct segment segment = segment_of_host(flags, data, length);
    struct packet packet;
    packet_tcp(&packet, &segment);
    script_put(&packet);
}

struct packet script_hear_packet(void) {
    struct packet packet;
    const struct link_frame *frame = link_model_take(&wire);
    assert_non_null(frame);
    packet.length = frame->length;
    memcpy(packet.bytes, frame->bytes, frame->length);
    return packet;
}

struct segment script_hear(void) {
    struct segment segment;
    const struct packet packet = script_hear_packet();
    assert_true(packet_read_tcp(&packet, &segment));
    assert_memory_equal(segment.source_mac, wire.link.mac, 6);
    assert_memory_equal(segment.destination_mac, host_mac, 6);
    assert_int_equal(segment.source, BOARD_ADDRESS);
    assert_int_equal(segment.source_port, KYMO_NET_PORT);
    return segment;
}

struct segment script_hear_ack(void) {
    const struct segment segment = script_hear();
    assert_int_equal(segment.flags, ACK);
    assert_int_equal(segment.length, 0);
    return segment;
}

bool script_silent(void) { return wire.from_stack.in == wire.from_stack.out; }

void script_forget(void) { wire.from_stack.out = wire.from_stack.in; }

void script_connect(uint16_t mss) {
    struct segment request = segment_of_host(SYN, NULL, 0);
    struct packet packet;
    request.mss = mss;
    packet_tcp(&packet, &request);
    script_put(&packet);
    const struct segment answer = script_hear();
    assert_int_equal(answer.flags, SYN | ACK);
    assert_int_equal(answer.acknowledgment, host.sequence + 1u);
    host.sequence++;
    host.acknowledgment = answer.sequence + 1u;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_connected(&net));
    assert_true(script_silent());
}

void script_write(const void *bytes, size_t length) {
    assert_int_equal(transport->write(transport->context, bytes, length), length);
}

size_t script_read(uint8_t *bytes, size_t size) {
    size_t length = 0, count;
    do {
        count = transport->read(transport->context, bytes + length, size - length);
        length += count;
    } while (count != 0);
    return length;
}

void script_is_alive(void) {
    script_forget();
    script_write("alive", 5);
    const struct segment segment = script_hear();
    assert_int_equal(segment.length, 5);
    assert_memory_equal(segment.data, "alive", 5);
    host.acknowledgment = segment.sequence + 5u;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_idle(&net));
}
