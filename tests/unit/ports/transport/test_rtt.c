/* SPDX-License-Identifier: MIT */
/* RTT on the memory that the probe would see, with a reader and a writer in the place of the probe. The real
 * one is in e2e.qemu-virt-riscv64.rtt. */
#include <string.h>

#include "cases.h"
#include "long_names.h"
#include "rtt.h"

#define UP 16u
#define DOWN 8u

static struct kymo_rtt rtt;
static uint8_t up[UP], down[DOWN];
static const struct kymo_transport *transport;

static int set_up(void **state) {
    const struct kymo_rtt_config config = {
        .name = "kymo", .up = up, .up_bytes = UP, .down = down, .down_bytes = DOWN};
    (void)state;
    memset(&rtt, 0xa5, sizeof rtt);
    assert_true(kymo_rtt_init(&rtt, &config));
    transport = kymo_rtt_transport(&rtt);
    return 0;
}

static size_t put(const char *text) {
    return transport->write(transport->context, (const uint8_t *)text, strlen(text));
}

/* Reads like a probe, by the control block alone. */
static void assert_read(const char *expected) {
    struct kymo_rtt_channel *channel = &rtt.block.up;
    const uint8_t *buffer = (const uint8_t *)(uintptr_t)channel->buffer;
    for (; *expected != '\0'; expected++) {
        assert_int_not_equal(channel->read, channel->write);
        assert_int_equal(buffer[channel->read], *expected);
        channel->read = (channel->read + 1u) % channel->size;
    }
    assert_int_equal(channel->read, channel->write);
}

static void host_writes(const char *text) {
    struct kymo_rtt_channel *channel = &rtt.block.down;
    uint8_t *buffer = (uint8_t *)(uintptr_t)channel->buffer;
    for (; *text != '\0'; text++) {
        buffer[channel->write] = (uint8_t)*text;
        channel->write = (channel->write + 1u) % channel->size;
    }
}

static void assert_received(const char *expected) {
    uint8_t bytes[32];
    size_t count = transport->read(transport->context, bytes, sizeof bytes);
    assert_int_equal(count, strlen(expected));
    assert_memory_equal(bytes, expected, count);
}

/* Offsets as OpenOCD's target/rtt.c has them; those for 64 bits are of its version after 0.12. */
CASE(layout_is_what_probes_expect, set_up) {
    const uint8_t *block = (const uint8_t *)&rtt.block;
    const size_t wide = KYMO_RTT_ADDRESS_BITS / 8u;
    uint32_t word;
    assert_memory_equal(block, "SEGGER RTT\0\0\0\0\0\0", 16);
    memcpy(&word, block + 16, 4);
    assert_int_equal(word, 1);
    memcpy(&word, block + 20, 4);
    assert_int_equal(word, 1);
    assert_int_equal(offsetof(struct kymo_rtt_block, up), 24);
    assert_int_equal(offsetof(struct kymo_rtt_channel, buffer), wide);
    assert_int_equal(offsetof(struct kymo_rtt_channel, size), 2u * wide);
    assert_int_equal(offsetof(struct kymo_rtt_channel, write), 2u * wide + 4u);
    assert_int_equal(offsetof(struct kymo_rtt_channel, read), 2u * wide + 8u);
    assert_int_equal(offsetof(struct kymo_rtt_channel, flags), 2u * wide + 12u);
    assert_int_equal(sizeof(struct kymo_rtt_channel), 2u * wide + 16u);
    assert_int_equal(offsetof(struct kymo_rtt_block, down), 24u + sizeof(struct kymo_rtt_channel));
    assert_string_equal((const char *)(uintptr_t)rtt.block.up.name, "kymo");
}

CASE(bytes_go_round, set_up) {
    for (unsigned i = 0u; i < 3u * UP; i++) {
        assert_int_equal(put("0123456789"), 10);
        assert_false(kymo_rtt_idle(&rtt));
        assert_read("0123456789");
        assert_true(kymo_rtt_idle(&rtt));
        host_writes("abcde");
        assert_received("abcde");
        assert_received("");
    }
    assert_int_equal(kymo_rtt_overwritten(&rtt), 0);
}

CASE(full_takes_nothing, set_up) {
    assert_int_equal(put("0123456789abcdefghij"), UP - 1u);
    assert_int_equal(put("x"), 0);
    rtt.block.up.read = 3u; /* the probe has read three */
    assert_int_equal(put("xyz!"), 3);
    assert_read("3456789abcdexyz");
}

/* Any overwritten field is noticed at the next call; unread bytes, up and down, are still there,
 * and both ways work again. */
static void assert_mended(uint32_t times, const char *unread, const char *received) {
    assert_int_equal(put(""), 0);
    assert_int_equal(kymo_rtt_overwritten(&rtt), times);
    assert_read(unread);
    assert_int_equal(put("again"), 5);
    assert_read("again");
    host_writes("back");
    assert_received(received);
    assert_int_equal(kymo_rtt_overwritten(&rtt), times);
    layout_is_what_probes_expect(NULL);
}

CASE(every_overwritten_byte_is_mended, set_up) {
    uint8_t *block = (uint8_t *)&rtt.block;
    uint32_t times = 0u;
    const size_t flags[2] = {offsetof(struct kymo_rtt_block, up.flags),
                             offsetof(struct kymo_rtt_block, down.flags)};
    for (size_t i = 0u; i < sizeof rtt.block; i++) {
        if ((i >= flags[0] && i < flags[0] + 4u) || (i >= flags[1] && i < flags[1] + 4u)) {
            continue; /* the host's to choose */
        }
        assert_int_equal(put("kept"), 4);
        block[i] ^= 0x80u;
        assert_mended(++times, "kept", "back");
    }
}

CASE(offsets_beyond_what_there_is, set_up) {
    assert_int_equal(put("12345"), 5);
    rtt.block.up.read = 6u; /* within the ring, but not yet written */
    assert_mended(1u, "12345", "back");
    rtt.block.up.read = UP;
    assert_mended(2u, "", "back");
    rtt.block.down.write = DOWN;
    assert_mended(3u, "", "back");
    host_writes("abc");
    assert_int_equal(put(""), 0);
    rtt.block.down.write = (rtt.block.down.write + DOWN - 1u) % DOWN; /* takes back seen bytes */
    assert_mended(4u, "", "abcback");
}

/* Beyond the ring, though no further on than there are bytes to be read. */
CASE(an_offset_beyond_the_ring, set_up) {
    assert_int_equal(put("0123456789"), 10);
    assert_read("0123456789");
    assert_int_equal(put("0123456789a"), 11);
    rtt.block.up.read = UP + 4u;
    assert_mended(1u, "0123456789a", "back");
}

CASE(all_of_it_overwritten, set_up) {
    assert_int_equal(put("123"), 3);
    memset(&rtt.block, 0, sizeof rtt.block);
    assert_mended(1u, "123", "back");
    memset(&rtt.block, 0xff, sizeof rtt.block);
    assert_mended(2u, "", "back");
    /* The offsets next to it, too. */
    memset(&rtt.up_write, 0xff, 4u * sizeof rtt.up_write);
    assert_mended(3u, "", "back");
}

CASE(one_way, set_up) {
    struct kymo_rtt_config config = {.name = "kymo", .up = up, .up_bytes = UP};
    assert_true(kymo_rtt_init(&rtt, &config));
    assert_null(transport->read);
    assert_int_equal(rtt.block.down_channels, 0);
    assert_int_equal(put("123"), 3);
    assert_read("123");
    assert_int_equal(kymo_rtt_overwritten(&rtt), 0);
    rtt.block.down.write = 1u;
    assert_int_equal(put("1"), 1);
    assert_int_equal(kymo_rtt_overwritten(&rtt), 1);
}

CASE(rings_too_small, set_up) {
    struct kymo_rtt_config config = {.name = "kymo", .up = up, .up_bytes = 1u};
    assert_false(kymo_rtt_init(&rtt, &config));
    config.up_bytes = 2u;
    config.down_bytes = 1u;
    assert_false(kymo_rtt_init(&rtt, &config));
    config.down_bytes = 0u;
    assert_true(kymo_rtt_init(&rtt, &config));
}

/* The bytes that the probe reads at once. */
static size_t probe_reads(uint8_t *bytes, size_t room) {
    struct kymo_rtt_channel *channel = &rtt.block.up;
    const uint8_t *buffer = (const uint8_t *)(uintptr_t)channel->buffer;
    size_t count = 0u;
    for (; count < room && channel->read != channel->write; count++) {
        bytes[count] = buffer[channel->read];
        channel->read = (channel->read + 1u) % channel->size;
    }
    return count;
}

CASE(long_names_arrive_whole, set_up) { long_names_arrive(transport, probe_reads); }
