/* SPDX-License-Identifier: MIT */
/* The start: attaches the transport, and leaves in memory the facts that "hostlink dump" needs to find the rings in a
 * memory image (MEMORY.md). */
#include "../ring/lane.h"
#include "../ring/newest.h"
#include "link.h"

#if KYMO_ENABLE

/* A firmware with the same knobs refers to these symbols: kymo/knobs.h. */
#if defined(__ELF__) && !defined(ESP_PLATFORM) && !defined(__linux__)
KYMO_HAS_KNOB_(KYMO_KNOB_NAMES_);
#if KYMO_CALLSTACKS
KYMO_HAS_KNOB_(KYMO_KNOB_CALLSTACKS_);
#endif
#if KYMO_TRACING_MODE >= 2
KYMO_HAS_KNOB_(KYMO_KNOB_MEMORY_);
#endif
#endif

#define OFFSET(field) ((uint16_t)offsetof(struct kymo_lane, field))

const struct kymo_layout kymo_layout = {
    .magic = KYMO_LAYOUT_MAGIC,
    .version = KYMO_MEMORY_VERSION,
    .pointer_bytes = sizeof(void *),
#if KYMO_KEEP_NEWEST
    .ring_kind = KYMO_RING_NEWEST,
    .block_bytes = BLOCK_BYTES,
    .write = KYMO_LAYOUT_NONE,
    .tail = KYMO_LAYOUT_NONE,
#elif KYMO_ARCH_ATOMIC
    .ring_kind = KYMO_RING_ATOMIC,
    .write = KYMO_LAYOUT_NONE,
    .tail = OFFSET(tail),
#else
    .ring_kind = KYMO_RING_MASKED,
    .write = OFFSET(write),
    .tail = OFFSET(tail),
#endif
    .lanes = KYMO_LANES,
    .ring_bytes = KYMO_RING_BYTES,
    .lane_bytes = sizeof(struct kymo_lane),
    .site_bytes = sizeof(struct kymo_site),
    .names_in_elf = KYMO_NAMES == 0,
#if KYMO_DYNAMIC_SITES
    .dynamic_sites = KYMO_DYNAMIC_SITES,
    .dynamic_bytes = sizeof(struct kymo_dynamic_site),
#endif
    .lost = OFFSET(lost),
    .context_out = OFFSET(context_out),
    .time = OFFSET(time),
    .events = OFFSET(events),
    .name = OFFSET(name),
    .mark = offsetof(struct kymo_link, mark),
    .session = offsetof(struct kymo_link, session),
    .image = offsetof(struct kymo_link, image),
    .out = offsetof(struct kymo_link, out),
    .buffer = offsetof(struct kymo_link, out.bytes),
    .buffer_bytes = sizeof kymo_link.out.bytes,
};

struct kymo_link kymo_link;

/* MEMORY.md gives the fields of a site by the size of a pointer. */
#define POINTER sizeof(void *)
_Static_assert(offsetof(struct kymo_site, function) == POINTER, "site: function");
_Static_assert(offsetof(struct kymo_site, file) == 2u * POINTER, "site: file");
_Static_assert(offsetof(struct kymo_site, line) == 3u * POINTER, "site: line");
_Static_assert(offsetof(struct kymo_site, detail) == 3u * POINTER + 4u, "site: detail");
_Static_assert(offsetof(struct kymo_site, color) == 3u * POINTER + 8u, "site: color");
_Static_assert(offsetof(struct kymo_site, kind) == 3u * POINTER + 12u, "site: kind");
_Static_assert(offsetof(struct kymo_site, level) == 3u * POINTER + 13u, "site: level");
#if KYMO_DYNAMIC_SITES
#define AFTER_SITE sizeof(struct kymo_site)
_Static_assert(offsetof(struct kymo_dynamic, site) == 0u, "kymo_dynamic: sites");
_Static_assert(offsetof(struct kymo_dynamic_site, bytes) == AFTER_SITE, "dynamic site: bytes");
_Static_assert(offsetof(struct kymo_dynamic_site, complete) == AFTER_SITE + 4u,
               "dynamic site: complete");
#endif
_Static_assert(offsetof(struct kymo_mark, layout) == 16u, "mark: layout");
_Static_assert(offsetof(struct kymo_outgoing, ready) == 2u, "buffer: ready");
_Static_assert(offsetof(struct kymo_outgoing, open) == 4u, "buffer: open");
_Static_assert(offsetof(struct kymo_outgoing, events) == 8u, "buffer: events");
_Static_assert(sizeof(struct kymo_layout) == 64u, "the layout is the same on all cores");

/* The sites are in a section that linker scripts do not name, so it lies between the end of .text or .rodata and the
 * image of .data. A script that takes that end for the start of the image makes the start-up code copy sites into the
 * firmware's variables, and no linker says so. This variable then holds another value. */
#define INITIAL_VALUE 0x6b796000u
static volatile uint32_t initialised = INITIAL_VALUE;

/* If the start-up code copies the last constants of an image to RAM, the sites follow them there, and are not copied.
 * No site has the line 0, and RAM that was never written holds other values in "reserved". */
static bool sites_are_absent(void) {
#if KYMO_NAMES
    const struct kymo_site *first = __start_kymo_sites;
    return first != __stop_kymo_sites && (first->line == 0u || first->reserved != 0u);
#else
    return false;
#endif
}

void kymo_init(const struct kymo_transport *transport, const char *image) {
    struct kymo_link *link = &kymo_link;
    link->image = image;
    link->out.read = link->out.ready = 0u;
    link->out.write = 0u;
    link->out.open = 0u;
    link->packet.type = 0u;
#if KYMO_KEEP_NEWEST
    kymo_ring_start();
    link->session = kymo_ring_session();
#else
    /* A board whose starts are alike to the tick has the same number again. hostlink distinguishes those starts by
     * their clock and their packets. */
    link->session = (uint32_t)kymo_arch_clock64() ^ (uint32_t)(uintptr_t)image;
#endif
    link->session_due = true;
#if KYMO_INFO_SENT
    link->info_due = true;
#endif
    kymo_sites_again(link);
#if KYMO_LARGE
    link->large.offset = 0u;
#endif
    link->introduced = link->names_again = false;
    link->owed = 0u;
    link->quiet_ticks = 0u;
    link->status_at = (uint32_t)kymo_arch_clock();
    link->alive_at =
        link->status_at - KYMO_ALIVE_LATE_TICKS; /* the first call keeps all lanes alive */
    /* One whose driver could not be set up has no functions. */
    link->transport = transport != NULL && transport->write != NULL ? transport : NULL;
    if (!kymo_clock_is_changed(link)) {
        link->mark.clock_hz = kymo_arch_clock_hz();
    }
    link->mark.layout = &kymo_layout;
    link->mark.magic = KYMO_MARK_MAGIC;
#if KYMO_GUARD_KEYED
    kymo_guard_start(&link->guard, link->transport);
#endif
    kymo_clock_check();
    KYMO_STORE(kymo_usage_seen[KYMO_USAGE_DATA], initialised != INITIAL_VALUE);
    KYMO_STORE(kymo_usage_seen[KYMO_USAGE_SITES], sites_are_absent());
}

#endif
