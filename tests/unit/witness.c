/* SPDX-License-Identifier: MIT */
#include "witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kymo/wire.h"

void witness_init(struct witness *witness) {
    witness->contexts = 0u;
    witness->any_time = false;
}

uint32_t witness_context(struct witness *witness, uint32_t lane, uint32_t reference) {
    assert_true(witness->contexts < WITNESS_CONTEXTS);
    struct witness_context *context = &witness->context[witness->contexts];
    memset(context, 0, offsetof(struct witness_context, entry));
    context->lane = lane;
    context->reference = reference;
    return witness->contexts++;
}

struct witness_entry *witness_emit(struct witness *witness, uint32_t context, uint8_t kind,
                                   uint32_t reference, uint32_t value) {
    struct witness_context *in = &witness->context[context];
    struct witness_entry *entry = &in->entry[in->written % WITNESS_ENTRIES];
    if (in->written - in->read >= WITNESS_ENTRIES) {
        return NULL;
    }
    *entry = (struct witness_entry){
        .kind = kind, .weight = 1u, .reference = reference, .value = value, .to = UINT64_MAX};
    in->written++;
    return entry;
}

void witness_done(struct witness_entry *entry, uint64_t now, enum witness_fate fate) {
    entry->to = now;
    entry->fate = (uint8_t)fate;
}

void witness_forget(struct witness *witness, uint32_t context) {
    witness->context[context].written--;
}

static struct witness_context *find(struct witness *witness, uint32_t lane, uint32_t reference) {
    for (uint32_t i = 0u; i < witness->contexts; i++) {
        struct witness_context *context = &witness->context[i];
        if (context->lane == lane && context->reference == reference) {
            return context;
        }
    }
    fail_msg("an event in context %u of lane %u, which emitted none", reference, lane);
    return NULL;
}

static bool in_time(const struct witness *witness, const struct witness_entry *entry,
                    const struct wire_event *event) {
    return witness->any_time || (event->ticks >= entry->from && event->ticks <= entry->to);
}

/* Equal events of unknown fate are told apart by their time. */
static bool is_it(const struct witness *witness, const struct witness_entry *entry,
                  const struct wire_event *event) {
    return entry->fate != WITNESS_REFUSED && entry->kind == event->kind &&
           entry->reference == event->reference &&
           (event->words == 0u || entry->value == event->word[event->words - 1u]) &&
           (entry->fate == WITNESS_ACCEPTED || in_time(witness, entry, event));
}

static void nest(struct witness_context *context, const struct wire_event *event) {
    if (event->kind == KYMO_KIND_ZONE_BEGIN) {
        assert_true(context->depth < WITNESS_DEPTH);
        context->open[context->depth++] = event->reference;
    } else if (event->kind == KYMO_KIND_ZONE_END) {
        assert_true(context->depth > 0u);
        context->depth--;
    }
}

void witness_arrive(struct witness *witness, uint32_t lane, uint32_t reference,
                    const struct wire_event *event) {
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW ||
        event->kind == KYMO_KIND_LOSS) {
        return;
    }
    struct witness_context *context = find(witness, lane, reference);
    const struct witness_entry *entry = NULL;
    for (;;) {
        if (context->read == context->written) {
            fail_msg("kind 0x%02x of reference %u in context %u of lane %u was not emitted there",
                     event->kind, event->reference, reference, lane);
        }
        entry = &context->entry[context->read++ % WITNESS_ENTRIES];
        if (is_it(witness, entry, event)) {
            break;
        }
        if (entry->fate == WITNESS_ACCEPTED) {
            fail_msg("kind 0x%02x of reference %u in context %u of lane %u was accepted and is "
                     "missing; kind 0x%02x came instead",
                     entry->kind, entry->reference, reference, lane, event->kind);
        }
        context->skipped += entry->weight;
    }
    assert_true(in_time(witness, entry, event));
    assert_true(event->ticks >= context->last_ticks);
    context->last_ticks = event->ticks;
    context->arrived++;
    nest(context, event);
}

uint64_t witness_finish(struct witness *witness) {
    uint64_t skipped = 0u;
    for (uint32_t i = 0u; i < witness->contexts; i++) {
        struct witness_context *context = &witness->context[i];
        while (context->read != context->written) {
            const struct witness_entry *entry = &context->entry[context->read++ % WITNESS_ENTRIES];
            assert_int_not_equal(entry->fate, WITNESS_ACCEPTED);
            context->skipped += entry->weight;
        }
        assert_int_equal(context->depth, 0u);
        skipped += context->skipped;
    }
    return skipped;
}
