/* SPDX-License-Identifier: MIT */
#include "sink/json_text.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/decimal.h"
#include "base/utf8.h"

static void write_character(struct outfile *out, uint32_t character, const char *bytes,
                            size_t taken) {
    if (character == '"' || character == '\\') {
        outfile_write(out, "\\", 1);
        outfile_write(out, bytes, 1);
    } else if (utf8_is_control(character) || character == '<' || character == 0x2028 ||
               character == 0x2029) {
        outfile_printf(out, "\\u%04" PRIx32, character);
    } else if (character == UTF8_REPLACEMENT) {
        outfile_write(out, "\xef\xbf\xbd", 3);
    } else {
        outfile_write(out, bytes, taken);
    }
}

/* True for bytes that need no escape: printable ASCII except the quote, the backslash, and '<', which would be markup
 * in a page. */
static inline bool is_plain(char byte) {
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\' && byte != '<';
}

size_t json_plain_length(const char *bytes, size_t length) {
    size_t plain = 0;
    while (plain < length && is_plain(bytes[plain])) {
        plain++;
    }
    return plain;
}

static void write_escaped(struct outfile *out, const char *bytes, size_t length) {
    outfile_write(out, "\"", 1);
    while (length > 0) {
        size_t taken = json_plain_length(bytes, length);
        if (taken > 0) {
            outfile_write(out, bytes, taken);
        } else {
            uint32_t character;
            taken = utf8_next(bytes, length, &character);
            write_character(out, character, bytes, taken);
        }
        bytes += taken;
        length -= taken;
    }
    outfile_write(out, "\"", 1);
}

/* Nearly all texts are short and plain: they are copied while they are checked. */
void json_text(struct outfile *out, const char *bytes, size_t length) {
    char *room = outfile_room(out);
    size_t i = 0;
    room[0] = '"';
    while (i < length && i < OUTFILE_ROOM_BYTES - 2 && is_plain(bytes[i])) {
        room[i + 1] = bytes[i];
        i++;
    }
    if (i < length) {
        write_escaped(out, bytes, length);
    } else {
        room[i + 1] = '"';
        outfile_wrote(out, room + i + 2);
    }
}

void json_number(struct outfile *out, uint64_t value) {
    outfile_wrote(out, decimal_put(outfile_room(out), value));
}

char *json_put_time(char *at, int64_t ns) {
    uint64_t positive = ns > 0 ? (uint64_t)ns : 0;
    at = decimal_put(at, positive / 1000);
    *at++ = '.';
    return decimal_put_three(at, (unsigned)(positive % 1000));
}
