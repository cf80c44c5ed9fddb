/* SPDX-License-Identifier: MIT */
#include "trace/line_fault.h"

#include <stdbool.h>

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
