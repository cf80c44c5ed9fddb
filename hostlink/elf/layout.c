/* SPDX-License-Identifier: MIT */
#include "elf/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"
#include "wire/site_entry.h"

#define LAYOUT_BYTES 64u
#define RING_BYTES_MAX (16u << 20)
#define LANE_BYTES_MAX 4096u
#define BLOCKS_MAX 64u

static int fail(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(char *why, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static void read_layout(struct kymo_layout *layout, const uint8_t *at) {
    *layout = (struct kymo_layout){
        .magic = bytes_u32(at),
        .version = bytes_u16(at + 4),
        .pointer_bytes = bytes_u16(at + 6),
        .ring_kind = bytes_u32(at + 8),
        .lanes = bytes_u32(at + 12),
        .ring_bytes = bytes_u32(at + 16),
        .block_bytes = bytes_u32(at + 20),
        .lane_bytes = bytes_u32(at + 24),
        .site_bytes = bytes_u32(at + 28),
        .write = bytes_u16(at + 32),
        .tail = bytes_u16(at + 34),
        .lost = bytes_u16(at + 36),
        .context_out = bytes_u16(at + 38),
        .time = bytes_u16(at + 40),
        .events = bytes_u16(at + 42),
        .name = bytes_u16(at + 44),
        .mark = bytes_u16(at + 46),
        .session = bytes_u16(at + 48),
        .image = bytes_u16(at + 50),
        .out = bytes_u16(at + 52),
        .buffer = bytes_u16(at + 54),
        .buffer_bytes = bytes_u16(at + 56),
        .names_in_elf = bytes_u16(at + 58),
        .dynamic_sites = bytes_u16(at + 60),
        .dynamic_bytes = bytes_u16(at + 62),
    };
}

/* A power of two that ring and block are, or the runtime would not have compiled. */
static bool is_size(uint32_t bytes, uint32_t least, uint32_t most) {
    return bytes >= least && bytes <= most && (bytes & (bytes - 1)) == 0;
}

/* True for the offset of a field of up to 8 bytes within the lane, or for KYMO_LAYOUT_NONE if "may_miss". */
static bool is_offset(const struct kymo_layout *layout, uint16_t offset, bool may_miss) {
    return (offset == KYMO_LAYOUT_NONE && may_miss) || offset + 8u <= layout->lane_bytes;
}

static bool is_sound(const struct kymo_layout *layout) {
    bool newest = layout->ring_kind == KYMO_RING_NEWEST;
    return (layout->pointer_bytes == 4 || layout->pointer_bytes == 8) &&
           layout->ring_kind <= KYMO_RING_NEWEST && layout->lanes >= 1 &&
           layout->lanes <= WIRE_LANES && is_size(layout->ring_bytes, 256, RING_BYTES_MAX) &&
           (!newest || is_size(layout->block_bytes, 64, layout->ring_bytes / 2)) &&
           (!newest || layout->ring_bytes / layout->block_bytes <= BLOCKS_MAX) &&
           layout->lane_bytes >= 8 && layout->lane_bytes <= LANE_BYTES_MAX &&
           layout->site_bytes >= 4u * layout->pointer_bytes + 16u && layout->site_bytes <= 256 &&
           layout->site_bytes % 4 == 0 && layout->names_in_elf <= 1 &&
           (layout->dynamic_sites == 0 || layout->dynamic_bytes >= layout->site_bytes + 8u) &&
           is_offset(layout, layout->write, layout->ring_kind != KYMO_RING_MASKED) &&
           is_offset(layout, layout->tail, newest) && is_offset(layout, layout->lost, newest) &&
           is_offset(layout, layout->context_out, false) &&
           is_offset(layout, layout->time, false) && is_offset(layout, layout->events, false) &&
           (uint32_t)layout->name + layout->pointer_bytes <= layout->lane_bytes;
}

int layout_find(struct kymo_layout *layout, uint64_t *address, const struct elf *elf, char *why,
                size_t size) {
    if (elf_is_cut(elf)) {
        return fail(why, size, "is cut short: it ends before its table of sections; copy it again");
    }
    if (!elf_symbol(elf, "kymo_layout", address)) {
        return fail(why, size,
                    "has no symbol kymo_layout: it was linked without kymo's runtime or with "
                    "KYMO_ENABLE 0, never calls kymo_init(), or was stripped; give the file as the "
                    "linker wrote it");
    }
    const uint8_t *at = elf_at(elf, *address, LAYOUT_BYTES);
    struct elf_area area;
    uint64_t value;
    if (!at && !elf_symbol_area(elf, "kymo_layout", &value, &area)) {
        return fail(why, size,
                    "has symbols only, as a file of 'objcopy --only-keep-debug': without the "
                    "program's data hostlink can neither find names in it nor see whether the "
                    "board runs it; give the file as the linker wrote it");
    }
    if (!at) {
        return fail(why, size,
                    "does not hold kymo_layout, which should be at 0x%" PRIx64
                    "; give the file as the linker wrote it",
                    *address);
    }
    read_layout(layout, at);
    if (layout->magic != KYMO_LAYOUT_MAGIC) {
        return fail(why, size, "is damaged: kymo_layout is invalid");
    }
    if (layout->version != KYMO_MEMORY_VERSION) {
        return fail(why, size,
                    "has the recorder of another release (memory version %u, this hostlink reads "
                    "%u): get a hostlink of the same release as its runtime",
                    (unsigned)layout->version, KYMO_MEMORY_VERSION);
    }
    return is_sound(layout) ? 0 : fail(why, size, "is damaged: kymo_layout has impossible numbers");
}

bool layout_may_have_sites(const struct kymo_layout *layout, uint64_t start, uint64_t stop) {
    const uint64_t bytes = stop - start;
    return stop >= start && bytes % layout->site_bytes == 0 &&
           bytes / layout->site_bytes <= WIRE_SITES;
}
