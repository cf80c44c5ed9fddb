#include "trace/stray_text.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "kymo/wire.h"
#include "wire/unpack.h"

/* Chance makes a line of this length in one of a million damaged packets of 500 bytes: 95 of 256 bytes are printable,
 * and one of 128 ends a line. */
#define LINE_BYTES_MIN 16u

static bool is_printable(uint8_t byte) { return byte >= 0x20 && byte < 0x7f; }

bool text_is_all(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool printable = bytes[i] >= 0x20 && bytes[i] != 0x7f;
        if (!printable && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t' &&
            bytes[i] != 0x1b) {
            return false;
        }
    }
    return length >= 2 && utf8_valid((const char *)bytes, length);
}

/* The first byte is the code of COBS. A packet that does not begin here may be any. */
static bool holds_names(const uint8_t *bytes, size_t length) {
    const unsigned version = KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT;
    unsigned first = length > 1 ? bytes[1] : 0;
    return first == (version | KYMO_PACKET_SITES) || first == (version | KYMO_PACKET_SESSION) ||
           first == (version | KYMO_PACKET_TEXT);
}

/* The longest line, cut to "size" with its NUL; false: there is none. */
static bool text_within(const uint8_t *bytes, size_t length, char *text, size_t size) {
    size_t best = 0, best_at = 0, run = 0;
    for (size_t i = 0; i < length && !holds_names(bytes, length); i++) {
        bool line_end = bytes[i] == '\r' || bytes[i] == '\n';
        if (line_end && run >= LINE_BYTES_MIN && run > best) {
            best = run;
            best_at = i - run;
        }
        run = is_printable(bytes[i]) ? run + 1 : 0;
    }
    size_t kept = best < size ? best : size - 1;
    memcpy(text, bytes + best_at, kept);
    text[kept] = '\0';
    return best != 0;
}

const char *text_note(struct stray_text *stray, const uint8_t *bytes, size_t length) {
    char text[STRAY_TEXT_BYTES];
    size_t kept = length < UNPACK_CHUNK_BYTES ? length : UNPACK_CHUNK_BYTES;
    if (!text_within(bytes, kept, text, sizeof text) || stray->count++ != 0) {
        return NULL;
    }
    memcpy(stray->first, text, sizeof text);
    (void)snprintf(
        stray->notice, sizeof stray->notice,
        "text between packets: '%s': a console writes to the trace's line; switch it off, "
        "or give it another UART",
        text);
    return stray->notice;
}
