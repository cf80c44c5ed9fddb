/* SPDX-License-Identifier: MIT */
/* The recorder of a firmware in a memory image: found by the image's ELF file, checked, and as numbers
 * (runtime/MEMORY.md). */
#ifndef HOSTLINK_DUMP_RECORDER_H
#define HOSTLINK_DUMP_RECORDER_H

#include "dump/memory.h"
#include "dump/records.h"
#include "elf/elf.h"
#include "elf/sites.h"
#include "kymo/memory.h"
#include "wire/site_entry.h"

#define RECORDER_WHY_BYTES 400u

struct recorder {
    const struct elf *elf;
    const struct memory *memory;
    struct kymo_layout layout;
    uint64_t clock_hz;    /* 0 = unknown */
    uint32_t fingerprint; /* of the table of sites, for the blocks of a flight recorder */
    /* In memory: "bias" above their addresses in the ELF file, 0 unless it is position independent. */
    uint64_t layout_at, lanes_at, rings_at, link_at;
    bool rings_are_mapped; /* a pointer at "rings_pointer_at" has the address */
    uint64_t rings_pointer_at;
    uint64_t sites_at, sites_end; /* of the table of sites */
    uint64_t dynamic_at;          /* of those made at run time */
    bool dynamic_is_gone;         /* they were another run's */
    uint64_t bias;
    struct sites unloaded;        /* layout.names_in_elf: the table, which is in no memory */
    char why[RECORDER_WHY_BYTES]; /* after a failed open */
};

/* Opens the recorder of the program in "elf" in "memory"; a raw image without an address is placed, and a
 * position-independent program (or library) found wherever it ran. Both must outlive it. 0, or -EINVAL with
 * recorder->why set: a sentence that follows the name of the wrong file, which is the program's if *blames_elf. */
int recorder_open(struct recorder *recorder, const struct elf *elf, struct memory *memory,
                  bool *blames_elf);

uint32_t recorder_sites(const struct recorder *recorder);
/* The same with those made at run time, whose numbers follow. */
uint32_t recorder_all_sites(const struct recorder *recorder);
/* Site "index", below recorder_all_sites(), with strings of the ELF file or of the memory. */
void recorder_site(const struct recorder *recorder, uint32_t index, struct site_entry *entry);
/* The kind alone, enum kymo_site_kind; -1: there is no such site; RECORDER_KIND_UNKNOWN: it was made at run time and
 * is not in the memory. */
#define RECORDER_KIND_UNKNOWN (-2)
int recorder_site_kind(const struct recorder *recorder, uint32_t index);
/* The program's name, "" if it has none. */
const char *recorder_image(const struct recorder *recorder, size_t *length);
uint32_t recorder_session(const struct recorder *recorder);
/* The name of a lane's main context, "" if it has none. */
const char *recorder_lane_name(const struct recorder *recorder, uint32_t lane, size_t *length);

/* A field of a lane by its offset in the layout: 4 or 8 bytes, or a pointer. */
uint64_t recorder_lane_field(const struct recorder *recorder, uint32_t lane, uint16_t offset,
                             size_t bytes);
/* The ring of a lane, layout.ring_bytes long. */
const uint8_t *recorder_ring(const struct recorder *recorder, uint32_t lane);

/* The circular buffer of packets on their way to the host: their events are in no ring any more. */
struct recorder_buffer {
    const uint8_t *bytes;
    size_t length;
    size_t read, ready,
        open; /* index of the next byte to leave; bytes that may leave; of the block that is open */
    uint32_t events; /* in the packet that is being built */
};
/* False: it is damaged, or not in the memory. */
bool recorder_buffer(const struct recorder *recorder, struct recorder_buffer *buffer);
/* A reference in a record as it travels. */
struct records_sites recorder_sites_place(const struct recorder *recorder);
uint32_t recorder_reference(const struct recorder *recorder, uint32_t reference);

#endif
