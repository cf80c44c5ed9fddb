/* SPDX-License-Identifier: MIT */
/* The events that few programs record: a file of its own, so that the others do without its code. */
#include "../ring/callstack.h"
#include "../ring/check.h"
#include "../send/link.h"
#include "payload.h"

#if KYMO_ENABLE

#define HAS_TEXT 0x80000000u

void kymo_message_text_with(const struct kymo_callstack *stack, const struct kymo_site *site,
                            const struct kymo_text *text, uint32_t color) {
    struct kymo_payload payload;
    if (KYMO_RING_QUICK && stack == NULL && text == NULL) {
        kymo_ring_one(kymo_site_reference(site), color & 0xffffffu,
                      KYMO_ONE_WORD(KYMO_KIND_MESSAGE_TEXT));
        return;
    }
    payload.word[0] = color & 0xffffffu;
    payload.count = 1u;
    if (text != NULL) {
        payload.word[0] |= HAS_TEXT;
        kymo_put_string(&payload, text->bytes, text->length);
    }
    kymo_record_with(stack, KYMO_KIND_MESSAGE_TEXT, kymo_site_reference(site), payload.word,
                     payload.count);
}

KYMO_STACK_ENTRY void kymo_message_text(const struct kymo_site *site, const struct kymo_text *text,
                                        uint32_t color, uint32_t depth) {
    struct kymo_callstack room;
    kymo_message_text_with(kymo_callstack_of(&room, depth), site, text, color);
}

void kymo_plot_config(const struct kymo_site *site, uint32_t format, uint32_t color) {
    const uint32_t words[2] = {format, color & 0xffffffu};
    (void)kymo_ring_long(KYMO_KIND_PLOT_CONFIG, kymo_site_reference(site), words,
                         kymo_trimmed(words, 2u));
}

#if KYMO_TRACING_MODE >= 2
void kymo_memory_discard(const struct kymo_site *pool) {
    (void)kymo_ring_long(KYMO_KIND_MEMORY_DISCARD, kymo_site_reference(pool), NULL, 0u);
}

#if KYMO_CALLSTACKS
KYMO_STACK_ENTRY void kymo_memory_discard_stack(const struct kymo_site *pool, uint32_t depth) {
    struct kymo_callstack room;
    kymo_record_with(kymo_callstack_of(&room, depth), KYMO_KIND_MEMORY_DISCARD,
                     kymo_site_reference(pool), NULL, 0u);
}
#endif
#endif

void kymo_object_name(uint64_t identity, const struct kymo_text *name) {
    struct kymo_payload payload;
    payload.word[0] = (uint32_t)(identity >> 32);
    payload.count = 1u;
    kymo_put_string(&payload, name != NULL ? name->bytes : NULL, name != NULL ? name->length : 0u);
    (void)kymo_ring_long(KYMO_KIND_OBJECT_NAME, (uint32_t)identity, payload.word, payload.count);
}

void kymo_lock_mark(uint64_t identity, const struct kymo_site *site) {
    const uint32_t words[2] = {(uint32_t)(identity >> 32),
                               site != NULL ? kymo_number_of_site(site) + 1u : 0u};
    (void)kymo_ring_long(KYMO_KIND_LOCK_MARK, (uint32_t)identity, words, kymo_trimmed(words, 2u));
}

bool kymo_is_recording(void) { return !KYMO_LOAD(kymo_stopped); }

uint64_t kymo_clock_now(void) { return kymo_arch_clock64(); }

#if KYMO_COMMANDS
/* hostlink says something each second. */
#define SILENT_SECONDS 3u
bool kymo_connected(void) {
    const struct kymo_link *link = &kymo_link;
    const uint64_t spoke = link->pong_ticks;
    const uint64_t limit = (uint64_t)SILENT_SECONDS * link->mark.clock_hz;
    return spoke == 0u ? link->greeted : limit == 0u || kymo_arch_clock64() - spoke < limit;
}
#else
bool kymo_connected(void) { return false; }
#endif

#endif
