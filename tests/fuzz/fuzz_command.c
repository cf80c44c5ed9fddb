/* Hostile bytes from the host into the firmware. As in fuzz_pipeline.c the input is a stream as on the line,
 * or a row of frames that get a correct CRC here.
 *
 * Whatever comes in: parameters stay within their range, and the board goes on sending what it records. */
#include <string.h>

#include "fuzz.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace/deframe.h"
#include "trace/pipeline.h"

#define GAIN_LEAST (-5)
#define GAIN_MOST 10
#define LINE_BYTES 65536u

KYMO_PARAM(gain, "gain", 1, GAIN_LEAST, GAIN_MOST);

static struct {
    uint8_t bytes[LINE_BYTES];
    size_t length, at;
} line; /* to the board */
static size_t sent_bytes;

static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    length = length < line.length - line.at ? length : line.length - line.at;
    memcpy(bytes, line.bytes + line.at, length);
    line.at += length;
    return length;
}

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    sent_bytes += length;
    return length;
}

static const struct kymo_transport transport = {.write = line_write, .read = line_read};

static void put(const uint8_t *bytes, size_t length) {
    length = length < LINE_BYTES - line.length ? length : LINE_BYTES - line.length;
    memcpy(line.bytes + line.length, bytes, length);
    line.length += length;
}

static void put_frames(const uint8_t *data, size_t size) {
    uint8_t framed[600];
    while (size > 0) {
        size_t length = data[0] < size - 1 ? data[0] : size - 1;
        put(framed, frame_encode(framed, sizeof framed, data + 1, length));
        data += length + 1;
        size -= length + 1;
    }
}

static void check_board_lives(void) {
    sent_bytes = 0;
    kymo_start();
    KYMO_FRAME();
    fake.clock += fake.clock_hz * 10u; /* beyond every latency and status period */
    for (unsigned i = 0; i < 100u && kymo_pending(); i++) {
        (void)kymo_drain(0u);
    }
    if (sent_bytes == 0) {
        fuzz_wrong("the board has stopped sending");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    line.length = line.at = 0;
    (data[0] & 1 ? put_frames : put)(data + 1, size - 1);
    kymo_init(&transport, "fuzz");
    for (unsigned i = 0; i < 100000u && line.at < line.length; i++) {
        (void)kymo_drain(0u);
    }
    if (line.at != line.length) {
        fuzz_wrong("the board has stopped reading");
    }
    if (KYMO_PARAM_GET(gain) < GAIN_LEAST || KYMO_PARAM_GET(gain) > GAIN_MOST) {
        fuzz_wrong("a parameter is out of its range");
    }
    check_board_lives();
    return 0;
}

/* ---- correct inputs: a row of commands ---- */

static size_t make_command(uint8_t *out, size_t size, uint32_t choice, uint32_t value) {
    switch (choice % 6u) {
    case 0:
        return command_hello(out, size);
    case 1:
        return command_get_names(out, size);
    case 2:
        return command_start(out, size);
    case 3:
        return command_stop(out, size);
    case 4:
        return command_ping(out, size, value);
    default:
        return command_set_param(out, size, value % 3u, (int32_t)value);
    }
}

struct row {
    uint8_t *out;
    size_t length;
};

static int add_frame(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct row *row = context;
    (void)wire_bytes;
    row->out[row->length++] = (uint8_t)length;
    memcpy(row->out + row->length, bytes, length);
    row->length += length;
    return 0;
}

static void no_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static struct deframe deframe;
    uint8_t commands[1024];
    size_t length = 0;
    for (uint32_t i = 0; i < 12u; i++) {
        uint32_t value = (index + i) * 2654435761u;
        length += make_command(commands + length, sizeof commands - length, value >> 16, value);
    }
    if (size < 1u + sizeof commands) {
        fuzz_wrong("fuzz_seed() has no room");
    }
    out[0] = (uint8_t)(index & 1u);
    if (out[0] == 0) {
        memcpy(out + 1, commands, length);
        return length + 1;
    }
    struct row row = {.out = out + 1};
    deframe_init(&deframe,
                 &(struct deframe_callbacks){.context = &row, .frame = add_frame, .junk = no_junk});
    (void)deframe_feed(&deframe, commands, length);
    return row.length + 1;
}
