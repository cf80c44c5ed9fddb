#include "sink/json_text.h"

#include <inttypes.h>

#include "base/utf8.h"

static void write_character(struct outfile *out, uint32_t character, const char *bytes,
                            size_t taken) {
    if (character == '"' || character == '\\') {
        outfile_write(out, "\\", 1);
        outfile_write(out, bytes, 1);
    } else if (utf8_is_control(character)) {
        outfile_printf(out, "\\u%04" PRIx32, character);
    } else if (character == UTF8_REPLACEMENT) {
        outfile_write(out, "\xef\xbf\xbd", 3);
    } else {
        outfile_write(out, bytes, taken);
    }
}

void json_text(struct outfile *out, const char *bytes, size_t length) {
    outfile_write(out, "\"", 1);
    while (length > 0) {
        uint32_t character;
        size_t taken = utf8_next(bytes, length, &character);
        write_character(out, character, bytes, taken);
        bytes += taken;
        length -= taken;
    }
    outfile_write(out, "\"", 1);
}

void json_time(struct outfile *out, int64_t ns) {
    uint64_t positive = ns > 0 ? (uint64_t)ns : 0;
    outfile_printf(out, "%" PRIu64 ".%03u", positive / 1000, (unsigned)(positive % 1000));
}
