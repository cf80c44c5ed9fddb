/* SPDX-License-Identifier: MIT */
#include "dump/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/layout.h"

#define MARK_BYTES 24u /* at most */
/* A position-independent program is moved by whole pages: by 4 KiB or a multiple on every core. */

static int fail(struct recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct recorder *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(r->why, sizeof r->why, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

/* ---- where things are ---- */

/* Cut to the core's addresses, as sums and differences of them are. */
static uint64_t cut(const struct recorder *r, uint64_t address) {
    return r->layout.pointer_bytes == 4 ? (uint32_t)address : address;
}

/* The program runs this far above the addresses in its ELF file. */
static void set_bias(struct recorder *r, uint64_t bias) {
    uint64_t *const places[] = {&r->layout_at, &r->lanes_at,  &r->rings_at,   &r->link_at,
                                &r->sites_at,  &r->sites_end, &r->dynamic_at, &r->rings_pointer_at};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *places[i] = cut(r, *places[i] - r->bias + bias);
    }
    r->bias = bias;
}

/* Constants of the program. If it is movable, constants with pointers in them are right only in memory. */
static const uint8_t *constant_at(const struct recorder *r, uint64_t address, size_t length) {
    return r->elf->is_movable ? memory_at(r->memory, address, length)
                              : elf_at(r->elf, address, length);
}

static const char *constant_string(const struct recorder *r, uint64_t address, size_t *length) {
    *length = 0;
    return address != 0 ? elf_string(r->elf, cut(r, address - r->bias), length) : "";
}

/* ---- the ELF file ---- */

static int find_unloaded_sites(struct recorder *r) {
    if (sites_open(&r->unloaded, r->elf) != 0) {
        return fail(r, "%s", r->unloaded.why);
    }
    r->sites_at = r->unloaded.start;
    r->sites_end = r->unloaded.stop;
    r->fingerprint = kymo_sum_add(r->layout.ring_bytes, r->layout.block_bytes);
    r->fingerprint = kymo_sum_add(r->fingerprint, (uint32_t)r->sites_at);
    r->fingerprint = kymo_sum_add(r->fingerprint, r->unloaded.identity);
    return 0;
}

/* The same sum as the runtime makes of it. */
static int find_sites(struct recorder *r) {
    if (r->layout.names_in_elf != 0) {
        return find_unloaded_sites(r);
    }
    const uint64_t bytes = r->sites_end - r->sites_at;
    const bool sound = layout_may_have_sites(&r->layout, r->sites_at, r->sites_end);
    const uint8_t *table = sound ? constant_at(r, r->sites_at, (size_t)bytes) : NULL;
    if (!table && (!sound || bytes != 0)) {
        return fail(r,
                    "does not hold the table of sites, %" PRIu64 " bytes at 0x%" PRIx64
                    ": it is damaged or not all of it",
                    bytes, r->sites_at);
    }
    r->fingerprint = kymo_sum_add(r->layout.ring_bytes, r->layout.block_bytes);
    r->fingerprint = kymo_sum_add(r->fingerprint, (uint32_t)r->sites_at);
    for (uint64_t i = 0; i < bytes; i += 4) {
        r->fingerprint = kymo_sum_add(r->fingerprint, bytes_u32(table + i));
    }
    return 0;
}

static int fail_symbol(struct recorder *r, const char *name) {
    return fail(r, "has no symbol %s; give the file as the linker wrote it", name);
}

static int find_symbols(struct recorder *r) {
    r->rings_are_mapped = elf_symbol(r->elf, "kymo_mapped_rings", &r->rings_pointer_at);
    const char *const names[] = {"kymo_lanes",
                                 r->rings_are_mapped ? "kymo_mapped_rings" : "kymo_rings",
                                 "kymo_link", "__start_kymo_sites", "__stop_kymo_sites"};
    const size_t count = r->layout.names_in_elf != 0 ? 3 : sizeof names / sizeof *names;
    uint64_t *const places[] = {&r->lanes_at,
                                r->rings_are_mapped ? &r->rings_pointer_at : &r->rings_at,
                                &r->link_at, &r->sites_at, &r->sites_end};
    for (size_t i = 0; i < count; i++) {
        if (!elf_symbol(r->elf, names[i], places[i])) {
            return fail_symbol(r, names[i]);
        }
    }
    const bool has_dynamic = r->layout.dynamic_sites != 0;
    return has_dynamic && !elf_symbol(r->elf, "kymo_dynamic", &r->dynamic_at)
               ? fail_symbol(r, "kymo_dynamic")
               : 0;
}

/* ---- the memory ---- */

/* MEMORY.md, "Mark". */
static bool is_mark(const uint8_t *at) { return bytes_u32(at) == KYMO_MARK_MAGIC; }

/* The mark of the program in the ELF file. */
static bool is_ours(const struct recorder *r, const uint8_t *mark) {
    return is_mark(mark) && bytes_address(mark + 16, r->layout.pointer_bytes) == r->layout_at;
}

static int fail_mixed(struct recorder *r) {
    return fail(
        r, "is the memory of another program, or of another build of this one: its recorder is "
           "described elsewhere than in the ELF file. Give the ELF file that was running");
}

static int find_rings(struct recorder *r) {
    const struct kymo_layout *layout = &r->layout;
    if (!memory_at(r->memory, r->lanes_at, (size_t)layout->lanes * layout->lane_bytes)) {
        return fail(r, "does not hold all of kymo_lanes, at 0x%" PRIx64 ": save more of the memory",
                    r->lanes_at);
    }
    if (r->rings_are_mapped) {
        const uint8_t *pointer = memory_at(r->memory, r->rings_pointer_at, r->layout.pointer_bytes);
        r->rings_at = pointer ? bytes_address(pointer, r->layout.pointer_bytes) : 0;
    }
    if (!memory_at(r->memory, r->rings_at, (size_t)layout->lanes * layout->ring_bytes)) {
        return fail(r,
                    "does not hold all of kymo_rings, %" PRIu64 " bytes at 0x%" PRIx64
                    ": save more of the memory",
                    (uint64_t)layout->lanes * layout->ring_bytes, r->rings_at);
    }
    return 0;
}

/* The distance by which the program that left a mark was moved; false: it is another program. */
static bool bias_of(const struct recorder *r, const uint8_t *mark, uint64_t *bias) {
    uint64_t layout_at = bytes_address(mark + 16, r->layout.pointer_bytes);
    *bias = cut(r, layout_at - (r->layout_at - r->bias));
    return elf_may_move_by(r->elf, *bias);
}

/* True if a mark at this offset of a part of the memory is this program's. Its place and its contents must agree; if
 * the place of the memory is unknown, the mark gives it. */
static bool take_mark(struct recorder *r, struct memory *memory, const struct memory_part *part,
                      size_t offset) {
    uint64_t bias = 0;
    if (!is_mark(part->bytes + offset) || !bias_of(r, part->bytes + offset, &bias)) {
        return false;
    }
    const uint64_t mark_at = cut(r, r->link_at + r->layout.mark - r->bias + bias);
    if (memory->is_placed ? part->address + offset != mark_at : offset > mark_at) {
        return false;
    }
    set_bias(r, bias);
    if (!memory->is_core) {
        memory_place(memory, mark_at - offset);
    }
    return true;
}

static int fail_unmarked(struct recorder *r) {
    return fail(r,
                "holds no mark of this program: it is not its memory, it is of another build, or "
                "the firmware had not come to kymo_init()%s",
                r->memory->is_placed ? ""
                                     : ". If you know better, give the address of its first byte "
                                       "with --address");
}

/* Looks through all of the memory for the program's mark. A copy of it in a raw image would give a wrong place, but
 * then lanes and rings are outside of the image. */
static int locate(struct recorder *r, struct memory *memory) {
    const bool was_placed = memory->is_placed;
    struct memory_part part;
    int error = 0;
    for (uint32_t index = 0; memory_next(memory, &index, &part);) {
        for (size_t i = 0; i + MARK_BYTES <= part.length; i += 4) {
            memory->is_placed = was_placed;
            if (take_mark(r, memory, &part, i)) {
                error = find_rings(r);
                if (error == 0 || was_placed) {
                    return error;
                }
            }
        }
    }
    return error ? error : fail_unmarked(r);
}

static int find_mark(struct recorder *r, uint64_t mark_at) {
    const uint8_t *at = memory_at(r->memory, mark_at, MARK_BYTES);
    if (!at) {
        return fail(r,
                    "does not hold the address 0x%" PRIx64
                    ", where kymo_link has its mark: save more of the memory, or correct --address",
                    mark_at);
    }
    if (is_ours(r, at)) {
        r->clock_hz = bytes_u64(at + 8);
        return 0;
    }
    if (is_mark(at)) {
        return fail_mixed(r);
    }
    if (r->layout.ring_kind == KYMO_RING_NEWEST) {
        return 0; /* after a reset: each of its blocks is checked by itself */
    }
    return fail(r,
                "has no mark of kymo at 0x%" PRIx64 ": it is not the memory of this program, "
                "it begins at another address, or the firmware had not come to kymo_init()",
                mark_at);
}

int recorder_open(struct recorder *r, const struct elf *elf, struct memory *memory,
                  bool *blames_elf) {
    *r = (struct recorder){.elf = elf, .memory = memory};
    *blames_elf = true;
    if (elf->is_core) {
        return fail(r, "is a core file: name it as the memory, and the program with --elf");
    }
    int error = layout_find(&r->layout, &r->layout_at, elf, r->why, sizeof r->why);
    error = error ? error : find_symbols(r);
    const bool sites_in_memory = elf->is_movable && r->layout.names_in_elf == 0;
    if (error == 0 && !sites_in_memory) {
        error = find_sites(r);
    }
    if (error) {
        return error;
    }
    *blames_elf = false;
    if (elf->is_movable || !memory->is_placed) {
        error = locate(r, memory);
    }
    error = error ? error : find_mark(r, r->link_at + r->layout.mark);
    error = error ? error : find_rings(r);
    return error == 0 && sites_in_memory ? find_sites(r) : error;
}

/* ---- sites and names ---- */

uint32_t recorder_sites(const struct recorder *r) {
    return (uint32_t)((r->sites_end - r->sites_at) / r->layout.site_bytes);
}

static const char *string_at(const struct recorder *r, const uint8_t *pointer, size_t *length) {
    return constant_string(r, bytes_address(pointer, r->layout.pointer_bytes), length);
}

static const uint8_t *site_at(const struct recorder *r, uint32_t index) {
    uint64_t offset = (uint64_t)index * r->layout.site_bytes;
    return offset < r->sites_end - r->sites_at
               ? constant_at(r, r->sites_at + offset, r->layout.site_bytes)
               : NULL;
}

uint32_t recorder_all_sites(const struct recorder *r) {
    return recorder_sites(r) + r->layout.dynamic_sites;
}

/* One made at run time. NULL: it is not complete, or not in the memory. */
static const uint8_t *dynamic_at(const struct recorder *r, uint32_t index) {
    const uint64_t offset = (uint64_t)(index - recorder_sites(r)) * r->layout.dynamic_bytes;
    const uint8_t *site =
        r->dynamic_is_gone ? NULL
                           : memory_at(r->memory, r->dynamic_at + offset, r->layout.dynamic_bytes);
    return site && bytes_u32(site + r->layout.site_bytes + 4) != 0 ? site : NULL;
}

/* Copied strings are in the memory; constant ones may be only in the ELF file. */
static const char *dynamic_string(const struct recorder *r, const uint8_t *site, size_t which,
                                  size_t *length) {
    const size_t pointer = r->layout.pointer_bytes;
    const uint64_t address = bytes_address(site + which * pointer, pointer);
    *length = site[r->layout.site_bytes + which];
    if (address == 0) {
        return NULL;
    }
    const uint8_t *text = memory_at(r->memory, address, *length);
    text = text ? text : elf_at(r->elf, cut(r, address - r->bias), *length);
    *length = text ? *length : 0;
    return text ? (const char *)text : "";
}

/* MEMORY.md, "Sites": the byte after the lengths. */
#define DYNAMIC_CUT_SHIFT 3

static void dynamic_site(const struct recorder *r, uint32_t index, struct site_entry *entry) {
    const uint8_t *site = dynamic_at(r, index);
    size_t bytes = 0;
    *entry = (struct site_entry){.function = "", .file = ""};
    if (!site) {
        return;
    }
    entry->name = dynamic_string(r, site, 0, &entry->name_bytes);
    const char *function = dynamic_string(r, site, 1, &bytes);
    entry->function = function ? function : "";
    entry->function_bytes = function ? bytes : 0;
    const char *file = dynamic_string(r, site, 2, &bytes);
    entry->file = file ? file : "";
    entry->file_bytes = file ? bytes : 0;
    entry->cut = site[r->layout.site_bytes + 3] >> DYNAMIC_CUT_SHIFT;
    sites_numbers(site, r->layout.pointer_bytes, entry);
}

int recorder_site_kind(const struct recorder *r, uint32_t index) {
    if (index >= recorder_sites(r) && index < recorder_all_sites(r)) {
        const uint8_t *dynamic = dynamic_at(r, index);
        return dynamic ? dynamic[3u * r->layout.pointer_bytes + 12] : RECORDER_KIND_UNKNOWN;
    }
    if (r->layout.names_in_elf != 0) {
        struct site_entry entry;
        sites_get(&r->unloaded, index, &entry);
        return index < recorder_sites(r) ? entry.kind : -1;
    }
    const uint8_t *site = site_at(r, index);
    return site ? site[3u * r->layout.pointer_bytes + 12] : -1;
}

/* MEMORY.md, "Sites". */
void recorder_site(const struct recorder *r, uint32_t index, struct site_entry *entry) {
    if (index >= recorder_sites(r)) {
        dynamic_site(r, index, entry);
        return;
    }
    if (r->layout.names_in_elf != 0) {
        sites_get(&r->unloaded, index, entry);
        return;
    }
    const size_t pointer = r->layout.pointer_bytes;
    const uint8_t *site = site_at(r, index);
    *entry = (struct site_entry){.function = "", .file = ""};
    if (!site) {
        return;
    }
    if (bytes_address(site, pointer) != 0) {
        entry->name = string_at(r, site, &entry->name_bytes);
    }
    entry->function = string_at(r, site + pointer, &entry->function_bytes);
    entry->file = string_at(r, site + 2 * pointer, &entry->file_bytes);
    sites_numbers(site, pointer, entry);
}

/* Most names are constants; one that was made at run time is in the memory, if it is anywhere. */
static const char *text_at(const struct recorder *r, uint64_t address, size_t *length) {
    const char *text = constant_string(r, address, length);
    for (size_t bytes = 64; *length == 0 && bytes != 0; bytes--) {
        const uint8_t *at = address != 0 ? memory_at(r->memory, address, bytes) : NULL;
        const uint8_t *end = at ? memchr(at, 0, bytes) : NULL;
        if (end) {
            *length = (size_t)(end - at);
            return (const char *)at;
        }
    }
    return text;
}

static uint64_t link_field(const struct recorder *r, uint16_t offset, size_t bytes) {
    const uint8_t *at = memory_at(r->memory, r->link_at + offset, bytes);
    return at ? bytes_address(at, bytes) : 0;
}

const char *recorder_image(const struct recorder *r, size_t *length) {
    return text_at(r, link_field(r, r->layout.image, r->layout.pointer_bytes), length);
}

uint32_t recorder_session(const struct recorder *r) {
    return (uint32_t)link_field(r, r->layout.session, 4);
}

const char *recorder_lane_name(const struct recorder *r, uint32_t lane, size_t *length) {
    return text_at(r, recorder_lane_field(r, lane, r->layout.name, r->layout.pointer_bytes),
                   length);
}

/* ---- lanes ---- */

uint64_t recorder_lane_field(const struct recorder *r, uint32_t lane, uint16_t offset,
                             size_t bytes) {
    const uint8_t *at =
        offset == KYMO_LAYOUT_NONE
            ? NULL
            : memory_at(r->memory, r->lanes_at + (uint64_t)lane * r->layout.lane_bytes + offset,
                        bytes);
    return at ? bytes_address(at, bytes) : 0;
}

const uint8_t *recorder_ring(const struct recorder *r, uint32_t lane) {
    return memory_at(r->memory, r->rings_at + (uint64_t)lane * r->layout.ring_bytes,
                     r->layout.ring_bytes);
}

/* MEMORY.md, "The buffer of packets". */
bool recorder_buffer(const struct recorder *r, struct recorder_buffer *buffer) {
    const uint8_t *at = memory_at(r->memory, r->link_at + r->layout.out, 12);
    *buffer = (struct recorder_buffer){
        .bytes = memory_at(r->memory, r->link_at + r->layout.buffer, r->layout.buffer_bytes),
        .length = r->layout.buffer_bytes,
    };
    if (!at || !buffer->bytes) {
        return false;
    }
    buffer->read = bytes_u16(at);
    buffer->ready = bytes_u16(at + 2);
    buffer->open = bytes_u32(at + 4);
    buffer->events = bytes_u32(at + 8);
    return buffer->read < buffer->length && buffer->open <= 255 &&
           buffer->ready + buffer->open <= buffer->length;
}

struct records_sites recorder_sites_place(const struct recorder *r) {
    return (struct records_sites){.at = (uint32_t)r->sites_at,
                                  .bytes = (uint32_t)(r->sites_end - r->sites_at),
                                  .site_bytes = r->layout.site_bytes,
                                  .dynamic_at = (uint32_t)r->dynamic_at,
                                  .dynamic_bytes =
                                      (uint32_t)r->layout.dynamic_sites * r->layout.dynamic_bytes,
                                  .dynamic_site_bytes = r->layout.dynamic_bytes};
}

uint32_t recorder_reference(const struct recorder *r, uint32_t reference) {
    const struct records_sites sites = recorder_sites_place(r);
    return records_reference(&sites, reference);
}
