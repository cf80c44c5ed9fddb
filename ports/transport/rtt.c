/* SPDX-License-Identifier: MIT */
#include "rtt.h"

#include "kymo/bytes.h"

/* The id that probes search the RAM for, each byte one higher: as it is it must stand nowhere but in a
 * control block, or a probe takes the copy in flash, or one in RAM, for it. */
static const uint8_t id_raised[KYMO_RTT_ID_BYTES] = {0x54, 0x46, 0x48, 0x48, 0x46, 0x53, 0x21, 0x53,
                                                     0x55, 0x55, 1,    1,    1,    1,    1,    1};

static uint8_t id_byte(uint32_t i) { return (uint8_t)(id_raised[i] - 1u); }

/* Writes before it are in memory before those after it: the probe is like another core. */
static void barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static bool fits(const void *place) {
    return (uintptr_t)(kymo_rtt_address)(uintptr_t)place == (uintptr_t)place;
}

static void make_channel(struct kymo_rtt_channel *channel, const char *name, const uint8_t *buffer,
                         uint32_t bytes, uint32_t write, uint32_t read) {
    channel->name = (kymo_rtt_address)(uintptr_t)name;
    channel->buffer = (kymo_rtt_address)(uintptr_t)buffer;
    channel->size = bytes;
    channel->write = write;
    channel->read = read;
    channel->flags = 0u;
}

/* With a barrier, as clang makes one call of memset() of four stores. */
static void empty_rings(struct kymo_rtt *rtt) {
    rtt->up_write = rtt->up_read = 0u;
    barrier();
    rtt->down_write = rtt->down_read = 0u;
    barrier();
}

/* The bytes in the rings stay, with the offsets that were seen last: a probe that has read one offset before and one
 * after this reads no old part of the trace. The id goes first and comes last, its first byte last of all, so that
 * nobody finds half of it. */
static void make_block(struct kymo_rtt *rtt) {
    struct kymo_rtt_block *block = &rtt->block;
    const struct kymo_rtt_config *config = &rtt->config;
    kymo_put_zeros(block->id, KYMO_RTT_ID_BYTES);
    barrier();
    block->up_channels = 1u;
    block->down_channels = config->down_bytes != 0u ? 1u : 0u;
    make_channel(&block->up, config->name, config->up, config->up_bytes, rtt->up_write,
                 rtt->up_read);
    make_channel(&block->down, config->name, config->down, config->down_bytes, rtt->down_write,
                 rtt->down_read);
    barrier();
    for (uint32_t i = KYMO_RTT_ID_BYTES; i-- > 0u;) {
        block->id[i] = id_byte(i);
    }
    barrier();
}

static uint32_t distance(uint32_t from, uint32_t to, uint32_t size) {
    return to >= from ? to - from : to + size - from;
}

/* All that only we write. */
static bool is_ours(const struct kymo_rtt_channel *channel, const char *name, const uint8_t *buffer,
                    uint32_t bytes) {
    return channel->name == (kymo_rtt_address)(uintptr_t)name &&
           channel->buffer == (kymo_rtt_address)(uintptr_t)buffer && channel->size == bytes;
}

static bool is_whole(const struct kymo_rtt *rtt) {
    const struct kymo_rtt_block *block = &rtt->block;
    const struct kymo_rtt_config *config = &rtt->config;
    bool whole = block->up_channels == 1u &&
                 block->down_channels == (config->down_bytes != 0u ? 1u : 0u) &&
                 is_ours(&block->up, config->name, config->up, config->up_bytes) &&
                 is_ours(&block->down, config->name, config->down, config->down_bytes) &&
                 block->up.write == rtt->up_write && block->down.read == rtt->down_read;
    for (uint32_t i = 0u; i < KYMO_RTT_ID_BYTES; i++) {
        whole = whole && block->id[i] == id_byte(i);
    }
    return whole;
}

/* The host's two offsets: within the ring, and not beyond the bytes to read or the room to write. */
static bool take_offsets(struct kymo_rtt *rtt) {
    const uint32_t up = rtt->config.up_bytes;
    const uint32_t down = rtt->config.down_bytes;
    const uint32_t read = rtt->block.up.read;
    const uint32_t write = rtt->block.down.write;
    if (read >= up ||
        distance(rtt->up_read, read, up) > distance(rtt->up_read, rtt->up_write, up)) {
        return false;
    }
    if (write >= down + (down == 0u) ||
        distance(rtt->down_read, write, down) < distance(rtt->down_read, rtt->down_write, down)) {
        return false;
    }
    rtt->up_read = read;
    rtt->down_write = write;
    barrier();
    return true;
}

/* Ours, unless they were overwritten too. */
static bool are_inside(const struct kymo_rtt *rtt) {
    const uint32_t up = rtt->config.up_bytes;
    const uint32_t down = rtt->config.down_bytes;
    return rtt->up_write < up && rtt->up_read < up && rtt->down_write < down + (down == 0u) &&
           rtt->down_read < down + (down == 0u);
}

/* The host may read again the bytes that it has read since the last call, and leaves those out. */
static void look(struct kymo_rtt *rtt) {
    if (!is_whole(rtt) || !take_offsets(rtt)) {
        rtt->overwritten++;
        if (!are_inside(rtt)) {
            empty_rings(rtt);
        }
        make_block(rtt);
    }
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_rtt *rtt = context;
    look(rtt);
    const uint32_t size = rtt->config.up_bytes;
    const uint32_t room = size - 1u - distance(rtt->up_read, rtt->up_write, size);
    const uint32_t count = length < room ? (uint32_t)length : room;
    uint32_t at = rtt->up_write;
    for (uint32_t i = 0u; i < count; i++) {
        rtt->config.up[at] = bytes[i];
        at = at + 1u < size ? at + 1u : 0u;
    }
    barrier();
    rtt->up_write = at;
    rtt->block.up.write = at;
    return count;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_rtt *rtt = context;
    look(rtt);
    const uint32_t size = rtt->config.down_bytes;
    size_t count = 0u;
    while (count < length && rtt->down_read != rtt->down_write) {
        bytes[count++] = *(const volatile uint8_t *)&rtt->config.down[rtt->down_read];
        rtt->down_read = rtt->down_read + 1u < size ? rtt->down_read + 1u : 0u;
    }
    barrier();
    rtt->block.down.read = rtt->down_read;
    return count;
}

bool kymo_rtt_init(struct kymo_rtt *rtt, const struct kymo_rtt_config *config) {
    if (config->up_bytes < 2u || config->down_bytes == 1u || !fits(config->name) ||
        !fits(config->up) || !fits(config->down)) {
        return false;
    }
    kymo_put_bytes(&rtt->config, config, sizeof *config);
    rtt->overwritten = 0u;
    empty_rings(rtt);
    kymo_transport_set(&rtt->transport, write_bytes, config->down_bytes != 0u ? read_bytes : NULL,
                       rtt);
    make_block(rtt);
    return true;
}

bool kymo_rtt_idle(const struct kymo_rtt *rtt) { return rtt->block.up.read == rtt->up_write; }
