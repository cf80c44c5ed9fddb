/* SPDX-License-Identifier: MIT */
/* How often each call stack came, by what it came with: for tests that compare all of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracy_peer.h"

void tracy_peer_count_stacks(struct tracy_peer *peer) {
    peer->stacks = calloc(PEER_STACKS, sizeof *peer->stacks);
    if (peer->stacks == NULL) {
        abort();
    }
}

void tracy_peer_free_stacks(struct tracy_peer *peer) {
    for (size_t i = 0; peer->stacks != NULL && i < PEER_STACKS; i++) {
        free(peer->stacks[i].text);
    }
    free(peer->stacks);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct peer_stack *stack) {
    uint64_t hash = mix((uint64_t)stack->of, stack->key);
    for (uint32_t i = 0; i < stack->calls.count; i++) {
        hash = mix(hash, stack->calls.address[i]);
    }
    return hash;
}

static bool is_same(const struct peer_stack *a, const struct peer_stack *b) {
    return a->of == b->of && a->key == b->key && a->calls.count == b->calls.count &&
           memcmp(a->calls.address, b->calls.address,
                  a->calls.count * sizeof a->calls.address[0]) == 0;
}

bool tracy_peer_count_stack(struct tracy_peer *peer, enum peer_stack_of of, uint64_t key,
                            const char *text) {
    struct peer_stack stack = {.of = of, .key = key, .calls = peer->last_calls, .count = 1};
    if (peer->stacks == NULL) {
        return true;
    }
    for (const char *at = text; at != NULL && *at != '\0'; at++) {
        stack.key = mix(stack.key, (uint8_t)*at);
    }
    uint64_t at = hash_of(&stack);
    for (size_t tries = 0; tries < PEER_STACKS; tries++, at++) {
        struct peer_stack *known = &peer->stacks[at % PEER_STACKS];
        if (known->count != 0 && is_same(known, &stack)) {
            known->count++;
            return true;
        }
        if (known->count == 0) {
            *known = stack;
            known->text = text != NULL ? strdup(text) : NULL;
            return true;
        }
    }
    return tracy_peer_fail(peer, "too many call stacks for this test");
}

static const char *name_of(const struct tracy_peer *peer, const struct peer_stack *stack) {
    uint64_t key = stack->key;
    if (stack->of == PEER_OF_MESSAGE) {
        return stack->text;
    }
    for (size_t i = 0; stack->of == PEER_OF_ZONE && i < peer->place_count; i++) {
        if (peer->places[i].key == stack->key) {
            key = peer->places[i].name != 0 ? peer->places[i].name : peer->places[i].function;
        }
    }
    const enum tracy_query query =
        stack->of == PEER_OF_SAMPLE ? TRACY_QUERY_THREAD_STRING : TRACY_QUERY_STRING;
    const char *text = tracy_peer_text(peer, query, key);
    return text != NULL ? text : "?";
}

/* "stack: zone|NAME|innermost;...;outermost|COUNT", and of samples "symbol: NAME|COUNT" too. */
void tracy_peer_print_stacks(const struct tracy_peer *peer) {
    static const char *const words[] = {"zone", "message", "alloc", "free", "sample"};
    for (size_t i = 0; peer->stacks != NULL && i < PEER_STACKS; i++) {
        const struct peer_stack *stack = &peer->stacks[i];
        if (stack->count == 0) {
            continue;
        }
        printf("stack: %s|%s|", words[stack->of], name_of(peer, stack));
        for (uint32_t call = 0; call < stack->calls.count; call++) {
            const struct peer_address *address =
                tracy_peer_address(peer, stack->calls.address[call]);
            for (uint32_t line = 0; line < address->count; line++) {
                printf("%s%s", call + line == 0 ? "" : ";", address->lines[line].function);
            }
        }
        printf("|%llu\n", (unsigned long long)stack->count);
        const struct peer_address *innermost = tracy_peer_address(peer, stack->calls.address[0]);
        for (size_t symbol = 0; stack->of == PEER_OF_SAMPLE && symbol < peer->symbol_count;
             symbol++) {
            if (peer->symbols[symbol].address == innermost->lines[0].symbol) {
                printf("symbol: %s|%llu\n", peer->symbols[symbol].function,
                       (unsigned long long)stack->count);
            }
        }
    }
}
