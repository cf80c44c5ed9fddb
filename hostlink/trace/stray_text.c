/* SPDX-License-Identifier: MIT */
#include "trace/stray_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "wire/unpack.h"

/* A line is at least so long. */
#define LINE_BYTES_MIN 16u
/* Bytes of the packet that look like text may be right before and after the line: so many places are tried as its
 * begin and as its end. */
#define BEGINS_MAX 32u
#define ENDS_MAX 3u

static bool is_printable(uint8_t byte) { return byte >= 0x20 && byte < 0x7f; }

static bool ends_line(uint8_t byte) { return byte == '\r' || byte == '\n'; }

static bool is_of_text(uint8_t byte) {
    return is_printable(byte) || ends_line(byte) || byte == '\t' || byte == 0x1b;
}

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

/* A row of bytes in a damaged packet. */
struct row {
    size_t begin, end;
};

/* The longest line in the row, cut to "size" with its NUL; false: the row has no line. */
static bool longest_line(const uint8_t *bytes, const struct row *row, char *text, size_t size) {
    size_t best = 0, best_at = 0, run = 0;
    for (size_t i = row->begin; i < row->end; i++) {
        if (ends_line(bytes[i]) && run > best) {
            best = run;
            best_at = i - run;
        }
        run = is_printable(bytes[i]) ? run + 1 : 0;
    }
    const size_t kept = best < size ? best : size - 1;
    memcpy(text, bytes + best_at, kept);
    text[kept] = '\0';
    return best >= LINE_BYTES_MIN;
}

static bool is_packet_without(const uint8_t *bytes, size_t length, const struct row *row) {
    uint8_t rest[UNPACK_CHUNK_BYTES], packet[UNPACK_CHUNK_BYTES];
    memcpy(rest, bytes, row->begin);
    memcpy(rest + row->begin, bytes + row->end, length - row->end);
    return packet_open(rest, length - (row->end - row->begin), packet) != 0;
}

/* The row is text; narrows it to the part without which the packet is whole. */
static bool find_stray(const uint8_t *bytes, size_t length, struct row *row) {
    const size_t begin = row->begin;
    unsigned ends = 0;
    for (; row->end >= begin + LINE_BYTES_MIN && ends != ENDS_MAX; row->end--) {
        if (!ends_line(bytes[row->end - 1])) {
            continue;
        }
        ends++;
        for (row->begin = begin;
             row->begin + LINE_BYTES_MIN <= row->end && row->begin - begin < BEGINS_MAX;
             row->begin++) {
            if (is_packet_without(bytes, length, row)) {
                return true;
            }
        }
    }
    return false;
}

/* Its longest line. */
static bool text_within(const uint8_t *bytes, size_t length, char *text, size_t size) {
    for (size_t at = 0; at < length; at++) {
        struct row row = {at, at};
        while (row.end < length && is_of_text(bytes[row.end])) {
            row.end++;
        }
        at = row.end;
        if (longest_line(bytes, &row, text, size)) {
            return find_stray(bytes, length, &row) && longest_line(bytes, &row, text, size);
        }
    }
    return false;
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

/* ---- how a line damages bytes ---- */

/* So many random bytes lack a value of 256 once in e^8 times, and one of two bits at most once in e^64 times. */
#define SEVEN_BITS_MIN 128u
#define NEWLINES_MIN 8u
#define CONTROL_MIN 2048u
#define TEXT_MIN 64u
#define TEXT_PERCENT 95u

const char line_fault_text[] =
    "it is text: a console or a boot loader writes there, and no trace; look for the trace at "
    "another port, or let the firmware call kymo_init() and kymo_drain()";

void line_note(struct line_bytes *line, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        line->count[bytes[i]]++;
        line->bare_newlines += bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r');
    }
    line->all += length;
}

static uint64_t between(const struct line_bytes *line, unsigned first, unsigned last) {
    uint64_t sum = 0;
    for (unsigned value = first; value <= last; value++) {
        sum += line->count[value];
    }
    return sum;
}

/* Packets with 7 bits of their bytes left are printable by three quarters. */
static bool is_text(const struct line_bytes *line) {
    const uint64_t control =
        line->count['\t'] + line->count['\n'] + line->count['\r'] + line->count[0x1b];
    return line->all >= TEXT_MIN &&
           (between(line, 0x20, 0x7e) + control) * 100 >= line->all * TEXT_PERCENT;
}

const char *line_fault(const struct line_bytes *line) {
    if (is_text(line)) {
        return line_fault_text;
    }
    if (line->all >= SEVEN_BITS_MIN && between(line, 0x80, 0xff) == 0) {
        return "no byte is above 0x7f: the line has 7 data bits; set it to 8, without parity";
    }
    if (line->count['\n'] >= NEWLINES_MIN && line->bare_newlines == 0) {
        return "each LF follows a CR: the board's console layer or a terminal makes CR LF of LF; "
               "switch "
               "that off for the trace";
    }
    if (line->all >= CONTROL_MIN && between(line, 0x0f, 0x15) >= NEWLINES_MIN &&
        line->count[0x11] + line->count[0x13] == 0) {
        return "0x11 and 0x13 never come: something takes them for XON and XOFF; switch software "
               "flow "
               "control off";
    }
    return NULL;
}
