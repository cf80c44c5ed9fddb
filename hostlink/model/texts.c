/* SPDX-License-Identifier: MIT */
#include "model/texts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct text {
    uint32_t hash;
    char bytes[];
};

#define FIRST_TEXT_SLOTS 64u
#define SHORT_TEXT_BYTES 512u

size_t texts_clean(char *out, const char *text, size_t length) {
    size_t used = 0;
    for (size_t at = 0; at < length && text[at] != '\0';) {
        uint32_t character = 0;
        size_t bytes = utf8_next(text + at, length - at, &character);
        bool harmless = character == '\t' || character == '\n' || !utf8_is_control(character);
        if (harmless && (character != UTF8_REPLACEMENT || bytes > 1)) {
            memcpy(out + used, text + at, bytes);
            used += bytes;
        } else {
            out[used++] = '?';
        }
        at += bytes;
    }
    out[used] = '\0';
    return used;
}

/* FNV-1a, 32 bits. */
static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    }
    return hash;
}

/* The slot of the text, or the free one where it belongs. */
static struct text **find_text(const struct texts *texts, uint32_t hash, const char *bytes) {
    uint32_t mask = texts->slot_count - 1, at = hash & mask;
    while (texts->slots[at] != NULL &&
           (texts->slots[at]->hash != hash || strcmp(texts->slots[at]->bytes, bytes) != 0)) {
        at = (at + 1) & mask;
    }
    return &texts->slots[at];
}

static bool grow_texts(struct texts *texts) {
    struct texts bigger = {.slot_count =
                               texts->slot_count == 0 ? FIRST_TEXT_SLOTS : texts->slot_count * 2};
    bigger.slots = calloc(bigger.slot_count, sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < texts->slot_count; i++) {
        if (texts->slots[i] != NULL) {
            *find_text(&bigger, texts->slots[i]->hash, texts->slots[i]->bytes) = texts->slots[i];
        }
    }
    free(texts->slots);
    texts->slots = bigger.slots;
    texts->slot_count = bigger.slot_count;
    return true;
}

static const char *keep_text(struct texts *texts, const char *bytes, size_t length) {
    const uint32_t hash = hash_of(bytes);
    if (texts->count * 2 >= texts->slot_count && !grow_texts(texts)) {
        return NULL;
    }
    struct text **slot = find_text(texts, hash, bytes);
    if (*slot == NULL) {
        *slot = malloc(sizeof **slot + length + 1);
        if (*slot == NULL) {
            return NULL;
        }
        (*slot)->hash = hash;
        memcpy((*slot)->bytes, bytes, length + 1);
        texts->count++;
    }
    return (*slot)->bytes;
}

const char *texts_keep(struct texts *texts, const char *text, size_t length) {
    char on_stack[SHORT_TEXT_BYTES];
    char *cleaned = length < sizeof on_stack ? on_stack : malloc(length + 1);
    if (cleaned == NULL) {
        return NULL;
    }
    const char *kept = keep_text(texts, cleaned, texts_clean(cleaned, text, length));
    if (cleaned != on_stack) {
        free(cleaned);
    }
    return kept;
}

void texts_free(struct texts *texts) {
    for (uint32_t i = 0; i < texts->slot_count; i++) {
        free(texts->slots[i]);
    }
    free(texts->slots);
    *texts = (struct texts){0};
}
