/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>

static bool is_continuation(uint8_t byte) { return (byte & 0xc0u) == 0x80u; }

/* The number of bytes that follow this first byte, or -1 if no character starts so. */
static int following(uint8_t first) {
    if (first < 0x80u) {
        return 0;
    }
    if (first >= 0xc2u && first <= 0xdfu) {
        return 1;
    }
    if (first >= 0xe0u && first <= 0xefu) {
        return 2;
    }
    if (first >= 0xf0u && first <= 0xf4u) {
        return 3;
    }
    return -1;
}

static bool is_scalar(uint32_t character, int count) {
    static const uint32_t least[] = {0, 0x80u, 0x800u, 0x10000u};
    bool surrogate = character >= 0xd800u && character <= 0xdfffu;
    return character >= least[count] && character <= 0x10ffffu && !surrogate;
}

/* The number of bytes of a well-formed character, 0 if it is not well-formed. */
static size_t well_formed(const char *bytes, size_t length, uint32_t *character) {
    uint8_t first = (uint8_t)bytes[0];
    int count = following(first);
    if (count < 0 || (size_t)count >= length) {
        return 0;
    }
    *character = count == 0 ? first : first & (0x3fu >> count);
    for (int i = 1; i <= count; i++) {
        uint8_t next = (uint8_t)bytes[i];
        if (!is_continuation(next)) {
            return 0;
        }
        *character = *character << 6 | (next & 0x3fu);
    }
    return is_scalar(*character, count) ? (size_t)count + 1 : 0;
}

size_t utf8_next(const char *bytes, size_t length, uint32_t *character) {
    size_t taken = well_formed(bytes, length, character);
    if (taken == 0) {
        *character = UTF8_REPLACEMENT;
        return 1;
    }
    return taken;
}

bool utf8_valid(const char *bytes, size_t length) {
    uint32_t character;
    while (length > 0) {
        size_t taken = well_formed(bytes, length, &character);
        if (taken == 0) {
            return false;
        }
        bytes += taken;
        length -= taken;
    }
    return true;
}

/* No character has more than three bytes after its first. */
size_t utf8_cut(const char *bytes, size_t length, size_t limit) {
    if (length <= limit) {
        return length;
    }
    size_t end = limit;
    while (end > 0 && limit - end < 3 && is_continuation((uint8_t)bytes[end])) {
        end--;
    }
    return is_continuation((uint8_t)bytes[end]) ? limit : end;
}

/* Embeddings, overrides and isolates, which reverse the direction of the text after them on a terminal. */
static bool is_direction(uint32_t character) {
    return (character >= 0x202au && character <= 0x202eu) ||
           (character >= 0x2066u && character <= 0x2069u);
}

bool utf8_is_control(uint32_t character) {
    return character < 0x20u || (character >= 0x7fu && character <= 0x9fu) ||
           is_direction(character);
}

void utf8_clean(char *out, size_t size, const char *bytes, size_t length) {
    size_t to = 0;
    for (size_t from = 0; from < length;) {
        uint32_t character;
        size_t taken = utf8_next(bytes + from, length - from, &character);
        bool bad = character == UTF8_REPLACEMENT || utf8_is_control(character);
        size_t given = bad ? 1 : taken;
        if (to + given >= size) {
            break;
        }
        memcpy(out + to, bad ? "?" : bytes + from, given);
        to += given;
        from += taken;
    }
    out[to] = '\0';
}
