/* SPDX-License-Identifier: MIT */
/* The network stack: any frames, in any order, at any time. Afterwards it still knows what it
 * knew, and an honest host gets a connection that works. */
#include <string.h>

#include "fuzz.h"
#include "kymo_net.h"
#include "net/link_model.h"
#include "net/packet.h"

#define BOARD_ADDRESS KYMO_NET_ADDRESS(10, 0, 0, 2)
#define HOST_ADDRESS KYMO_NET_ADDRESS(10, 0, 0, 1)

static struct kymo_net net;
static struct link_model wire;
static uint32_t now_ms;

static uint32_t clock_ms(void) { return now_ms; }

static void start(uint32_t address) {
    const struct kymo_net_config config = {
        .link = &wire.link, .now_ms = clock_ms, .address = address, .secret = {9}};
    link_model_init(&wire);
    now_ms = 0xffff0000u;
    kymo_net_init(&net, &config);
}

static void check(void) {
    const struct kymo_tcp_connection *connection = &net.tcp.connection;
    const uint32_t on_way = connection->highest - connection->unacknowledged;
    const uint32_t sent = connection->next - connection->unacknowledged;
    if (connection->out.count > connection->out.size ||
        connection->in.count > connection->in.size) {
        fuzz_wrong("a buffer holds more than it can");
    }
    if (connection->state == KYMO_TCP_NONE) {
        return;
    }
    if (sent > on_way || on_way > connection->out.count + 1u) {
        fuzz_wrong("what is on its way is not what is kept");
    }
    if (connection->advertised - connection->expected > kymo_fifo_room(&connection->in)) {
        fuzz_wrong("a window is told for which there is no room");
    }
    if (connection->congestion.window == 0u || connection->congestion.window > 0x20000u ||
        connection->mss < 64u || connection->mss > KYMO_NET_FRAME_BYTES - 54u) {
        fuzz_wrong("nothing, or too much, may be sent at a time");
    }
    if (connection->state == KYMO_TCP_OPEN && sent != 0u &&
        connection->timer != KYMO_TCP_TIMER_AGAIN) {
        fuzz_wrong("what is on its way is not waited for");
    }
}

/* Every frame of the stack is one, and its checksums are right. */
static void check_frames(void) {
    const struct link_frame *frame;
    while ((frame = link_model_take(&wire)) != NULL) {
        struct packet packet = {.length = frame->length};
        if (frame->length < 60u || frame->length > KYMO_NET_FRAME_BYTES) {
            fuzz_wrong("a frame of a wrong length");
        }
        memcpy(packet.bytes, frame->bytes, frame->length);
        if (packet_get16(&packet, 12) == 0x0800u && !packet_checksums_right(&packet)) {
            fuzz_wrong("a frame with a wrong checksum");
        }
    }
}

static void use_transport(uint32_t number) {
    const struct kymo_transport *transport = kymo_net_transport(&net);
    uint8_t bytes[600];
    memset(bytes, (int)number, sizeof bytes);
    if (number % 2u == 0u) {
        (void)transport->write(transport->context, bytes, number * 7u % sizeof bytes);
    } else {
        (void)transport->read(transport->context, bytes, number % sizeof bytes);
    }
}

/* A segment of the host that is right in what "choice" does not change; so that the depths are
 * reached. */
static void plausible(struct packet *packet, const uint8_t *choice, size_t size) {
    const struct kymo_tcp_connection *connection = &net.tcp.connection;
    struct segment segment = {.source = HOST_ADDRESS,
                              .destination = BOARD_ADDRESS,
                              .source_port = 1000,
                              .destination_port = KYMO_NET_PORT,
                              .sequence = connection->expected,
                              .acknowledgment = connection->unacknowledged,
                              .flags = ACK,
                              .window = 3000};
    memcpy(segment.destination_mac, wire.link.mac, 6);
    segment.source_mac[0] = 2;
    if (net.tcp.listener.pending) {
        segment.sequence = net.tcp.listener.sequence + 1u;
        segment.acknowledgment = net.tcp.listener.cookie + 1u;
    }
    segment.flags = (choice[0] & 1u) != 0u ? choice[1] : ACK;
    segment.sequence += (choice[0] & 2u) != 0u ? (uint32_t)(int8_t)choice[2] * 3u : 0u;
    segment.acknowledgment +=
        (choice[0] & 4u) != 0u ? choice[3] * 16u : connection->highest - connection->unacknowledged;
    segment.window = (choice[0] & 8u) != 0u ? choice[4] : segment.window;
    segment.mss = (choice[0] & 16u) != 0u ? (uint16_t)(choice[5] * 8u) : 0u;
    segment.length = (choice[0] & 32u) != 0u ? size - 6u : 0u;
    memcpy(segment.data, choice + 6, segment.length);
    packet_tcp(packet, &segment);
}

/* A protocol's message of any bytes, in an IPv4 packet that is right and not a byte longer. */
static void in_ipv4(struct packet *packet, const uint8_t *body, size_t length) {
    static const uint8_t protocols[] = {TCP, UDP, ICMP, TCP};
    const uint8_t host_mac[6] = {2};
    packet_ipv4(packet, wire.link.mac, host_mac, HOST_ADDRESS, BOARD_ADDRESS,
                protocols[body[0] % 4u], body + 1, length - 1u);
    packet->length = 34u + length - 1u;
    if (packet->length >= 38u && (body[0] & 4u) != 0u) { /* to a port of ours */
        packet_put16(packet, 36, packet->bytes[23] == TCP ? KYMO_NET_PORT : KYMO_DHCP_CLIENT_PORT);
    }
    packet_checksums(packet);
}

/* A DHCP server's answer with any options. */
static void from_server(struct packet *packet, const uint8_t *options, size_t length) {
    const uint8_t host_mac[6] = {2};
    uint8_t message[240 + 255] = {2, 1, 6};
    struct packet numbers;
    packet_put32(&numbers, 0, net.dhcp.transaction);
    packet_put32(&numbers, 4, 0x63825363u);
    packet_put32(&numbers, 8, BOARD_ADDRESS);
    memcpy(message + 4, numbers.bytes, 4);
    memcpy(message + 236, numbers.bytes + 4, 4);
    memcpy(message + 16, numbers.bytes + 8, 4);
    memcpy(message + 28, wire.link.mac, 6);
    memcpy(message + 240, options, length);
    packet_udp(packet, wire.link.mac, host_mac, HOST_ADDRESS, BOARD_ADDRESS, 67, 68, message,
               240u + length);
    packet->length = 14u + packet_get16(packet, 16);
}

/* Bytes after an Ethernet header, or instead of one. */
static void any_bytes(struct packet *packet, uint8_t kind, const uint8_t *body, size_t length) {
    memcpy(packet->bytes, wire.link.mac, 6);
    packet_put16(packet, 12, kind % 8u == 7u ? 0x0806u : 0x0800u);
    memcpy(packet->bytes + ((kind & 8u) != 0u ? 0u : 14u), body, length);
    packet->length = length + 14u;
    if ((kind & 16u) != 0u && packet->length >= 60u) {
        packet_checksums(packet);
    }
}

/* One step: a byte that says what, a byte of time, a length, and so many bytes. */
static size_t step(const uint8_t *data, size_t size) {
    const size_t length = data[2] < size - 3u ? data[2] : size - 3u;
    const uint8_t *body = data + 3;
    struct packet packet = {.length = 0};
    now_ms += data[1] < 200u ? data[1] : data[1] * 100u;
    if (data[0] % 8u < 3u && length >= 6u) {
        plausible(&packet, body, length);
    } else if (data[0] % 8u < 5u && length >= 1u) {
        in_ipv4(&packet, body, length);
    } else if (data[0] % 8u == 5u) {
        from_server(&packet, body, length);
    } else {
        any_bytes(&packet, data[0], body, length);
    }
    (void)link_model_put(&wire, packet.bytes, packet.length);
    wire.room = (data[0] & 32u) != 0u ? 1u : LINK_FRAMES;
    use_transport(data[0]);
    kymo_net_poll(&net);
    if ((data[0] & 64u) != 0u && data[1] == 255u) {
        kymo_net_close(&net);
    }
    return 3u + length;
}

static struct segment hear(void) {
    const struct link_frame *frame;
    struct segment segment;
    while ((frame = link_model_take(&wire)) != NULL) {
        struct packet packet = {.length = frame->length};
        memcpy(packet.bytes, frame->bytes, frame->length);
        if (packet_read_tcp(&packet, &segment)) {
            return segment;
        }
    }
    fuzz_wrong("an honest host gets no answer");
}

/* After two minutes of silence every connected host is gone. */
static void serve_an_honest_host(void) {
    struct segment segment = {.source = HOST_ADDRESS,
                              .destination = BOARD_ADDRESS,
                              .source_port = 2000,
                              .destination_port = KYMO_NET_PORT,
                              .sequence = 4711,
                              .flags = SYN,
                              .window = 60000};
    struct packet packet;
    memcpy(segment.destination_mac, wire.link.mac, 6);
    segment.source_mac[0] = 2;
    wire.room = LINK_FRAMES;
    for (uint32_t i = 0; i < 120u; i++) {
        now_ms += 1000u;
        kymo_net_poll(&net);
        check_frames();
    }
    if (net.interface.address != BOARD_ADDRESS) {
        return; /* it was leased, and is not any more */
    }
    packet_tcp(&packet, &segment);
    (void)link_model_put(&wire, packet.bytes, packet.length);
    kymo_net_poll(&net);
    segment.acknowledgment = hear().sequence + 1u;
    segment.sequence++;
    segment.flags = ACK;
    packet_tcp(&packet, &segment);
    (void)link_model_put(&wire, packet.bytes, packet.length);
    kymo_net_poll(&net);
    const struct kymo_transport *transport = kymo_net_transport(&net);
    if (transport->write(transport->context, (const uint8_t *)"\0an event", 9) != 9u) {
        fuzz_wrong("an honest host gets no connection");
    }
    const struct segment heard = hear();
    if (heard.length < 8u || memcmp(heard.data + heard.length - 8u, "an event", 8) != 0) {
        fuzz_wrong("an honest host gets no data");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const bool without_address = size != 0u && data[0] == 0u;
    start(without_address ? 0u : BOARD_ADDRESS);
    data += without_address;
    size -= without_address;
    while (size >= 3u) {
        const size_t length = step(data, size);
        data += length;
        size -= length;
        check();
        check_frames();
    }
    serve_an_honest_host();
    return 0;
}

struct piece {
    uint8_t length;
    uint8_t bytes[32];
};

/* Steps of a connection that goes well, of an address that is got, and of messages around them. */
size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static const struct piece request = {9, {1, 1, 6, 1, SYN}}, acknowledge = {9, {2, 30, 6}},
                              data = {29, {2, 30, 26, 32}},
                              offer = {12, {5, 1, 9, 53, 1, 2, 54, 4, 1, 2, 3, 4}},
                              bound = {12, {5, 1, 9, 53, 1, 5, 51, 4, 0, 0, 1, 0}},
                              ping = {14, {3, 1, 11, 2, 8}},
                              header = {27, {4, 1, 24,   4,   1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
                                             0, 0, 0x60, SYN, 0, 0, 0, 0, 0, 0, 2, 4, 1}},
                              udp = {12, {4, 1, 9, 5, 0, 67, 0, 68, 0, 8}};
    const struct piece *rest[] = {&acknowledge, &data, &ping, &header, &udp};
    const struct piece *first[] = {index % 4u == 0u ? &offer : &request,
                                   index % 4u == 0u ? &bound : &acknowledge};
    size_t length = 0;
    if (index % 4u == 0u && size != 0u) {
        out[length++] = 0u; /* no address at first */
    }
    for (uint32_t i = 0; i < 4u + index % 60u && length + 64u < size; i++) {
        const struct piece *piece = i < 2u ? first[i] : rest[(index / 7u + i * 3u) % 5u];
        memcpy(out + length, piece->bytes, piece->length);
        length += piece->length;
    }
    return length;
}
