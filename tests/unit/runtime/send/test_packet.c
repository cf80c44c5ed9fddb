/* SPDX-License-Identifier: MIT */
/* Packets: CRC, COBS, and leaving in pieces. The expected bytes come from the definitions, not from
 * the code: CRC-32 bit by bit as IEEE 802.3 (3.2.9) states it, COBS as Cheshire and Baker define
 * it. */
#include <string.h>

#include "cases.h"
#include "player.h"
#include "send/packet.h"
#include "wire/unpack.h"

#define PIECES (2u * KYMO_PACKET_BYTES)

static struct kymo_outgoing out;

/* The polynomial of the standard, highest bit first, over the bits as they are sent: lowest
 * first. */
static uint32_t crc_by_bits(const uint8_t *bytes, size_t length) {
    uint32_t crc = 0xffffffffu;
    uint32_t reflected = 0u;
    for (size_t i = 0u; i < length * 8u; i++) {
        uint32_t bit = (uint32_t)bytes[i / 8u] >> (i % 8u) & 1u;
        uint32_t top = crc >> 31 ^ bit;
        crc = crc << 1 ^ (top != 0u ? 0x04c11db7u : 0u);
    }
    for (uint32_t i = 0u; i < 32u; i++) {
        reflected |= (crc >> i & 1u) << (31u - i);
    }
    return ~reflected;
}

/* The paper's receiver. Returns the length; the caller has checked that "bytes" holds no zero. */
static size_t unstuff(const uint8_t *bytes, size_t length, uint8_t *to) {
    size_t at = 0u;
    for (size_t i = 0u; i < length;) {
        size_t code = bytes[i++];
        for (size_t j = 1u; j < code; j++) {
            assert_true(i < length);
            to[at++] = bytes[i++];
        }
        if (code < 255u && i < length) {
            to[at++] = 0u;
        }
    }
    return at;
}

/* ---- a transport that takes a set number of bytes ---- */

struct pipe {
    uint8_t bytes[PIECES];
    size_t length;
    size_t takes; /* at one call */
    size_t calls;
};

static size_t pipe_write(void *context, const uint8_t *bytes, size_t length) {
    struct pipe *pipe = context;
    size_t taken = length < pipe->takes ? length : pipe->takes;
    assert_true(pipe->length + taken <= sizeof pipe->bytes);
    memcpy(pipe->bytes + pipe->length, bytes, taken);
    pipe->length += taken;
    pipe->calls++;
    return taken;
}

/* Wherever in the circular buffer the one before has ended. */
static void build(enum kymo_packet_type type, const uint8_t *body, size_t length) {
    assert_int_equal(kymo_out_room(&out), KYMO_OUT_BYTES);
    kymo_out_begin(&out, type);
    for (size_t i = 0u; i < length && kymo_out_space(&out) != 0u; i++) {
        kymo_out_bytes(&out, body[i], 1u);
    }
    kymo_out_end(&out);
    assert_int_equal(out.open, 0u);
}

/* Sends a packet of these bytes; "pipe" has the bytes on the line. */
static void send_packet(struct pipe *pipe, const uint8_t *body, size_t length, size_t takes,
                        size_t budget) {
    const struct kymo_transport transport = {.write = pipe_write, .context = pipe};
    *pipe = (struct pipe){.takes = takes};
    build(KYMO_PACKET_TEXT, body, length);
    for (uint32_t calls = 0u; out.ready != 0u; calls++) {
        assert_true(calls < 2u * PIECES);
        size_t sent = kymo_out_send(&out, &transport, budget);
        assert_true(sent <= budget);
    }
}

/* The bytes on the line must be this body. */
static void check_packet(const struct pipe *pipe, uint8_t sequence, const uint8_t *body,
                         size_t length) {
    static uint8_t packet[PIECES];
    assert_int_equal(pipe->bytes[pipe->length - 1u], 0u);
    assert_null(memchr(pipe->bytes, 0, pipe->length - 1u));
    size_t count = unstuff(pipe->bytes, pipe->length - 1u, packet);
    assert_int_equal(count, 2u + length + 4u);
    assert_int_equal(packet[0], KYMO_WIRE_VERSION << 5 | KYMO_PACKET_TEXT);
    assert_int_equal(packet[1], sequence);
    assert_memory_equal(packet + 2u, body, length);
    uint32_t crc = crc_by_bits(packet, 2u + length);
    for (uint32_t i = 0u; i < 4u; i++) {
        assert_int_equal(packet[2u + length + i], crc >> (8u * i) & 0xffu);
    }
    /* One code byte for each 254 bytes and one more, and the final zero byte. */
    assert_true(pipe->length <= count + count / 254u + 2u);
}

CASE(crc_is_that_of_the_standard) {
    uint8_t bytes[257];
    uint64_t random = 7u;
    /* The check value that catalogues of CRCs give for "CRC-32/ISO-HDLC". */
    assert_int_equal(crc32_ieee((const uint8_t *)"123456789", 9u), 0xcbf43926u);
    for (uint32_t length = 0u; length <= sizeof bytes; length++) {
        for (uint32_t i = 0u; i < length; i++) {
            bytes[i] = (uint8_t)player_random(&random);
        }
        assert_int_equal(crc32_ieee(bytes, length), crc_by_bits(bytes, length));
    }
}

/* Runs without a zero byte of every length, so that every block ends everywhere, also at 254 and
 * 255. */
CASE(blocks_of_every_length) {
    static struct pipe pipe;
    uint8_t body[KYMO_PACKET_BYTES];
    for (uint32_t length = 0u; length + 6u <= KYMO_PACKET_BYTES; length++) {
        memset(body, 0x55, sizeof body);
        uint8_t sequence = out.sequence;
        send_packet(&pipe, body, length, SIZE_MAX, SIZE_MAX);
        check_packet(&pipe, sequence, body, length);
        for (uint32_t zero = length < 250u ? 0u : length - 250u; zero < length; zero += 7u) {
            memset(body, 0x55, sizeof body);
            body[zero] = 0u;
            sequence = out.sequence;
            send_packet(&pipe, body, length, SIZE_MAX, SIZE_MAX);
            check_packet(&pipe, sequence, body, length);
        }
    }
}

CASE(zeros_and_mixtures) {
    static struct pipe pipe;
    uint8_t body[KYMO_PACKET_BYTES - 6u];
    uint64_t random = 99u;
    for (uint32_t turn = 0u; turn < 20000u; turn++) {
        uint32_t length = player_random(&random) % (sizeof body + 1u);
        uint32_t zeros = turn % 300u; /* one byte in so many is a zero; 0: all */
        for (uint32_t i = 0u; i < length; i++) {
            bool zero = zeros == 0u || player_random(&random) % zeros == 0u;
            body[i] = zero ? 0u : (uint8_t)(player_random(&random) | 1u);
        }
        uint8_t sequence = out.sequence;
        send_packet(&pipe, body, length, SIZE_MAX, SIZE_MAX);
        check_packet(&pipe, sequence, body, length);
    }
}

/* However the transport and the budget cut it, the same bytes leave in the same order. */
CASE(pieces_of_every_size) {
    static struct pipe whole, pieces;
    uint8_t body[300];
    uint64_t random = 5u;
    for (uint32_t i = 0u; i < sizeof body; i++) {
        body[i] = (uint8_t)(player_random(&random) & 0x0fu);
    }
    out.sequence = 7u;
    send_packet(&whole, body, sizeof body, SIZE_MAX, SIZE_MAX);
    for (uint32_t size = 1u; size <= whole.length + 1u; size++) {
        out.sequence = 7u;
        send_packet(&pieces, body, sizeof body, size, SIZE_MAX);
        assert_int_equal(pieces.length, whole.length);
        assert_memory_equal(pieces.bytes, whole.bytes, whole.length);
        out.sequence = 7u;
        send_packet(&pieces, body, sizeof body, SIZE_MAX, size);
        assert_memory_equal(pieces.bytes, whole.bytes, whole.length);
        /* One call more where the piece goes round the end of the buffer. */
        assert_in_range(pieces.calls, (whole.length + size - 1u) / size,
                        (whole.length + size - 1u) / size + 1u);
    }
}

CASE(a_full_transport_loses_nothing) {
    static struct pipe pipe;
    const struct kymo_transport transport = {.write = pipe_write, .context = &pipe};
    const uint8_t body[3] = {1u, 0u, 2u};
    pipe = (struct pipe){.takes = 0u};
    uint8_t sequence = out.sequence;
    build(KYMO_PACKET_TEXT, body, sizeof body);
    for (uint32_t i = 0u; i < 10u; i++) {
        assert_int_equal(kymo_out_send(&out, &transport, SIZE_MAX), 0u);
        assert_int_not_equal(out.ready, 0u);
    }
    pipe.takes = 1u;
    while (out.ready != 0u) {
        (void)kymo_out_send(&out, &transport, SIZE_MAX);
    }
    check_packet(&pipe, sequence, body, sizeof body);
}

/* The longest packet finds room in the empty buffer, at its worst: no zero byte among its own. */
CASE(the_longest_packet_fits) {
    static struct pipe pipe;
    static uint8_t body[2u * KYMO_PACKET_BYTES];
    memset(body, 0xaa, sizeof body);
    for (uint32_t turn = 0u; turn < 2u * KYMO_OUT_BYTES; turn++) {
        uint8_t sequence = out.sequence;
        send_packet(&pipe, body, sizeof body, SIZE_MAX, SIZE_MAX);
        check_packet(&pipe, sequence, body, KYMO_PACKET_BYTES - 6u);
    }
}

/* All before the open block leaves while the rest of the packet is still to come, and the next packet is built where it
 * stood. The line sees the same bytes. */
CASE(it_leaves_while_it_is_built) {
    static struct pipe pipe;
    static uint8_t body[KYMO_PACKET_BYTES - 6u];
    const struct kymo_transport transport = {.write = pipe_write, .context = &pipe};
    uint64_t random = 77u;
    for (uint32_t turn = 0u; turn < 3000u; turn++) {
        size_t early = 0u;
        uint8_t sequence = out.sequence;
        pipe = (struct pipe){.takes = turn % 40u + 1u};
        kymo_out_begin(&out, KYMO_PACKET_TEXT);
        for (size_t i = 0u; i < sizeof body; i++) {
            body[i] = (uint8_t)(player_random(&random) & 0x1fu);
            kymo_out_bytes(&out, body[i], 1u);
            early += kymo_out_send(&out, &transport, player_random(&random) % 8u);
            assert_true(out.open != 0u);
        }
        assert_true(early > sizeof body / 2u);
        kymo_out_end(&out);
        while (out.ready != 0u) {
            (void)kymo_out_send(&out, &transport, SIZE_MAX);
        }
        check_packet(&pipe, sequence, body, sizeof body);
    }
}

/* A zero byte before a session packet: a host finds it after other output of the board. */
CASE(a_session_packet_is_led_by_a_zero) {
    static struct pipe pipe;
    const struct kymo_transport transport = {.write = pipe_write, .context = &pipe};
    pipe = (struct pipe){.takes = SIZE_MAX};
    build(KYMO_PACKET_SESSION, NULL, 0u);
    while (out.ready != 0u) {
        (void)kymo_out_send(&out, &transport, SIZE_MAX);
    }
    assert_int_equal(pipe.bytes[0], 0u);
    assert_int_not_equal(pipe.bytes[1], 0u);
}
