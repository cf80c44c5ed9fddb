/* SPDX-License-Identifier: MIT */
/* Images of frames at a viewer, in every protocol: the right pixels at the right frame, whichever half comes first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "model/large.h"
#include "tracy/picture.h"
#include "tracy_run.h"

#define FILE_BYTES (4u << 20)

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct site marks = {
    .kind = KYMO_SITE_FRAME, .known = true, .name = "Frame", .function = "f", .file = "f.c"};
static const struct site place = {
    .kind = KYMO_SITE_MESSAGE, .known = true, .name = "", .function = "f", .file = "f.c"};

/* A file: its head by format, then "count" bytes of a pattern. */
static uint8_t file[FILE_BYTES];
static size_t make(const char *head, size_t count) {
    const size_t length = strlen(head);
    memcpy(file, head, length);
    assert_true(length + count <= sizeof file);
    for (size_t i = 0; i < count; i++) {
        file[length + i] = (uint8_t)(i * 37 + (i >> 8));
    }
    return length + count;
}

static size_t make_plain(uint32_t width, uint32_t height, uint32_t rgb) {
    char head[64];
    snprintf(head, sizeof head, "P6 %u %u 255\n", (unsigned)width, (unsigned)height);
    const size_t length = make(head, (size_t)width * height * 3);
    for (size_t i = strlen(head); i < length; i++) {
        file[i] = (uint8_t)(rgb >> (8 * (2 - (i - strlen(head)) % 3)));
    }
    return length;
}

/* ---- blocks ---- */

static uint32_t pixel_of(const uint8_t block[BC1_BLOCK_BYTES], uint32_t i) {
    uint8_t copy[BC1_BLOCK_BYTES];
    memcpy(copy, block, sizeof copy);
    const struct peer_picture picture = {.width = 4, .height = 4, .bytes = 8, .data = copy};
    return tracy_peer_pixel(&picture, i % 4, i / 4);
}

static uint32_t difference(uint32_t rgb, const uint8_t pixel[3]) {
    uint32_t most = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const int32_t apart = (int32_t)(rgb >> (8 * (2 - c)) & 255u) - pixel[c];
        most = (uint32_t)abs(apart) > most ? (uint32_t)abs(apart) : most;
    }
    return most;
}

/* One colour comes back as near as 16 bits can say, in any order of the two colours of a block. */
CASE(one_color) {
    for (uint32_t rgb = 0; rgb < 0x1000000; rgb += 0x010307) {
        uint8_t pixels[BC1_PIXELS][3], block[BC1_BLOCK_BYTES];
        for (uint32_t i = 0; i < BC1_PIXELS * 3; i++) {
            pixels[i / 3][i % 3] = (uint8_t)(rgb >> (8 * (2 - i % 3)));
        }
        bc1_block((const uint8_t(*)[3])pixels, block);
        for (uint32_t i = 0; i < BC1_PIXELS; i++) {
            assert_true(difference(pixel_of(block, i), pixels[i]) <= 4);
        }
    }
}

/* Two colours, as text and lines have them, also those of which no channel goes with another; and a ramp of grey. */
CASE(two_colors_and_a_ramp) {
    static const uint32_t colors[][2] = {
        {0xff0000, 0x00ff00}, {0x0000ff, 0xffff00}, {0, 0xffffff},       {0x102030, 0xe0d0c0},
        {0xff00ff, 0x00ff00}, {0x808080, 0x8080ff}, {0xff8000, 0x0080ff}};
    for (size_t n = 0; n < sizeof colors / sizeof colors[0]; n++) {
        uint8_t pixels[BC1_PIXELS][3], block[BC1_BLOCK_BYTES];
        for (uint32_t i = 0; i < BC1_PIXELS * 3; i++) {
            pixels[i / 3][i % 3] = (uint8_t)(colors[n][i / 3 % 5 == 1] >> (8 * (2 - i % 3)));
        }
        bc1_block((const uint8_t(*)[3])pixels, block);
        for (uint32_t i = 0; i < BC1_PIXELS; i++) {
            assert_true(difference(pixel_of(block, i), pixels[i]) <= 4);
        }
        for (uint32_t i = 0; i < BC1_PIXELS * 3; i++) {
            pixels[i / 3][i % 3] = (uint8_t)(i / 3 * 17);
        }
        bc1_block((const uint8_t(*)[3])pixels, block);
        for (uint32_t i = 0; i < BC1_PIXELS; i++) {
            assert_true(difference(pixel_of(block, i), pixels[i]) <= 255 / 6 + 4);
        }
    }
}

/* ---- formats ---- */

static struct peer_picture made(size_t length) {
    struct tracy_picture picture;
    assert_int_equal(tracy_picture_make(&picture, file, length), 0);
    return (struct peer_picture){.width = picture.width,
                                 .height = picture.height,
                                 .bytes = picture.bytes,
                                 .data = picture.data};
}

/* Each format of netpbm with its remarks, spaces and depths, to the same grey of 0x48 or colour of 0x488848. */
CASE(formats) {
    static const struct {
        const char *head, *pixel;
        uint32_t rgb;
    } cases[] = {
        {"P5 4 4 255\n", "\x48", 0x4a494a},
        {"P5\n# frames back: 3\n#x\n4\t4 # more\n36\n", "\x0a", 0x4a494a},
        {"P6\n4 4\n255\n", "\x4a\x8a\x4a", 0x4a8a4a},
        {"P7\nWIDTH 4\nHEIGHT 4\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n", "\x48",
         0x4a494a},
        {"P7\nDEPTH 2\nWIDTH 4\nHEIGHT 4\nMAXVAL 255\nENDHDR\n", "\x48\xff", 0x4a494a},
        {"P7\nWIDTH 4\nHEIGHT 4\nDEPTH 3\nMAXVAL 255\nENDHDR\n", "\x4a\x8a\x4a", 0x4a8a4a},
        {"P7\n# a\nWIDTH 4\nHEIGHT 4\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n",
         "\x4a\x8a\x4a\x01", 0x4a8a4a},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t depth = strlen(cases[i].pixel), length = make(cases[i].head, 16 * depth);
        for (size_t at = 0; at < 16 * depth; at++) {
            file[strlen(cases[i].head) + at] = (uint8_t)cases[i].pixel[at % depth];
        }
        const struct peer_picture picture = made(length);
        assert_int_equal(picture.width, 4);
        assert_int_equal(tracy_peer_pixel(&picture, 3, 3), cases[i].rgb);
        free(picture.data);
        struct tracy_picture unused;
        for (size_t cut = 0; cut < length; cut++) {
            assert_int_equal(tracy_picture_make(&unused, file, cut), -EINVAL);
        }
    }
}

CASE(not_pictures) {
    static const char *const heads[] = {"P4 8 8 ",
                                        "P5 0 4 255\n",
                                        "P5 4 0 255\n",
                                        "P5 4 4 0\n",
                                        "P5 4 4 256\n",
                                        "P5 4 4 65535\n",
                                        "P5 -4 4 255\n",
                                        "P6 16777217 1 255\n",
                                        "P6 16777216 16777216 255\n",
                                        "P6 99999999999999999999 1 255\n",
                                        "P5 4 4 255",
                                        "P7\nWIDTH 4\nHEIGHT 4\nMAXVAL 255\nENDHDR\n",
                                        "P7\nWIDTH 4\nHEIGHT 4\nDEPTH 5\nMAXVAL 255\nENDHDR\n",
                                        "P7\nWIDTH 4\nHEIGHT x\nDEPTH 1\nMAXVAL 255\nENDHDR\n",
                                        "P7\nOTHER 4\nENDHDR\n",
                                        "\x89PNG\r\n",
                                        "",
                                        "P7\nWIDTH 4\nTUPLTYPE",
                                        "P7\nWIDTH 4\nHEIGHT 4\nDEPTH 1\nMAXVAL 255\nENDHDR"};
    struct tracy_picture unused;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t length = make(heads[i], 0);
        memset(file + length, 0xff, 256);
        assert_int_equal(tracy_picture_make(&unused, file, length + 64), -EINVAL);
    }
}

/* Filled up with the last column and row; made smaller until it fits; never too large for a frame of the stream. */
CASE(sizes) {
    static const uint32_t cases[][4] = {
        {1, 1, 4, 4},          {5, 3, 8, 4},         {128, 64, 128, 64},   {1024, 512, 512, 256},
        {1024, 511, 512, 256}, {960, 546, 480, 276}, {65533, 1, 32768, 4}, {1, 700000, 4, 63640}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char head[64];
        snprintf(head, sizeof head, "P5 %u %u 255\n", (unsigned)cases[i][0], (unsigned)cases[i][1]);
        const struct peer_picture picture = made(make(head, (size_t)cases[i][0] * cases[i][1]));
        assert_int_equal(picture.width, cases[i][2]);
        assert_int_equal(picture.height, cases[i][3]);
        assert_int_equal(picture.bytes, (uint32_t)picture.width * picture.height / 2);
        assert_true(picture.bytes <= TRACY_PICTURE_BYTES_MAX);
        free(picture.data);
    }
    /* 5 x 3, its last column white: so are the three after it, and the last row's. */
    size_t length = make("P5 5 3 255\n", 15);
    memset(file + length - 15, 0, 15);
    for (size_t row = 0; row < 3; row++) {
        file[length - 15 + 5 * row + 4] = 255;
    }
    struct peer_picture picture = made(length);
    assert_int_equal(tracy_peer_pixel(&picture, 3, 3), 0);
    assert_int_equal(tracy_peer_pixel(&picture, 7, 3), 0xffffff);
    free(picture.data);
    /* Alternating black and white rows are grey at half size. */
    length = make("P5 2048 512 255\n", 2048u * 512u);
    for (size_t at = 0; at < 2048u * 512u; at++) {
        file[length - 2048u * 512u + at] = at / 2048 % 2 == 0 ? 0 : 255;
    }
    picture = made(length);
    assert_int_equal(picture.width, 1024);
    assert_int_equal(tracy_peer_pixel(&picture, 1023, 255) & 0xff00ff, 0x840084);
    free(picture.data);
}

/* ---- frames ---- */

static void mark(struct tracy_run *run, int64_t time_ns) {
    const struct event event = {
        .kind = EVENT_FRAME, .time_ns = time_ns, .track = &core0, .site = &marks};
    assert_int_equal(tracy_run_event(run, &event), 0);
}

#define PHOTO 900u /* of a format that is a file only */

static void said(struct tracy_run *run, int64_t time_ns, uint64_t id) {
    struct event event = {.kind = EVENT_LARGE, .time_ns = time_ns, .track = &core0, .site = &place};
    event.u.large.name = id == PHOTO ? "photo.png" : "frame.pam";
    event.u.large.id = id;
    event.u.large.type = KYMO_LARGE_IMAGE;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

/* In pieces of a size that no picture has. */
static void send_as(struct tracy_run *run, uint64_t id, uint8_t type, size_t length,
                    enum large_end end) {
    struct large large = {.id = id, .bytes = length, .type = type};
    for (size_t at = 0; at < length; at += 777) {
        const size_t count = length - at < 777 ? length - at : 777;
        large.received += count;
        assert_int_equal(tracy_encode_large(run->encode, &large, file + at, count), 0);
    }
    large.end = end;
    assert_int_equal(tracy_encode_large(run->encode, &large, NULL, 0), 0);
}

static void come(struct tracy_run *run, uint64_t id, uint32_t rgb) {
    send_as(run, id, KYMO_LARGE_IMAGE, make_plain(8, 8, rgb), LARGE_WHOLE);
}

static void end(struct tracy_run *run, size_t pictures, uint64_t repairs) {
    tracy_run_end(run);
    assert_string_equal(run->failure, "");
    assert_int_equal(run->terminates, 1);
    assert_int_equal(run->encode->repairs.total, repairs);
    assert_int_equal(run->peer->picture_count, pictures);
}

static void expect(const struct tracy_run *run, size_t number, uint64_t frame, uint32_t rgb) {
    assert_int_equal(run->peer->pictures[number].frame, frame);
    assert_int_equal(tracy_peer_pixel(&run->peer->pictures[number], 7, 7), rgb);
}

/* The viewer's frames 0 and 1 are its own, 2 goes from the connection to the first mark. */
static void both_orders(struct tracy_run *run) {
    said(run, 1, 1);
    come(run, 1, 0xff0000);
    mark(run, 2);
    mark(run, 3);
    come(run, 2, 0x00ff00); /* before its event, which a mark precedes */
    mark(run, 4);
    said(run, 5, 2);
    said(run, 6, 3);
    mark(run, 7);
    come(run, 3, 0x0000ff); /* long after its event: of the same frame as 2, which has one */
    said(run, 8, 4);
    mark(run, 9);
    mark(run, 10);
    come(run, 4, 0x0000ff);
    end(run, 3, 1);
    assert_int_equal(run->peer->counts.messages, 1); /* of the repair */
    expect(run, 0, 2, 0xff0000);
    expect(run, 1, 5, 0x00ff00);
    expect(run, 2, 6, 0x0000ff);
}

/* Two frames ago; there are no frames before this viewer. */
static void frames_back(struct tracy_run *run) {
    char head[] = "P5 4 4 # frames back: 2\n255\n";
    for (uint64_t id = 1; id <= 4; id++) {
        said(run, (int64_t)id, id);
        send_as(run, id, KYMO_LARGE_IMAGE, make(head, 16), LARGE_WHOLE);
        mark(run, (int64_t)id);
    }
    end(run, 2, 0);
    assert_int_equal(run->peer->pictures[0].frame, 2);
    assert_int_equal(run->peer->pictures[1].frame, 3);
}

/* Frames before it are counted in their numbers; zones and events that began before it are not shown. */
static void a_later_viewer(struct tracy_run *run) {
    const uint32_t protocol = run->peer->proto.number;
    mark(run, 1);
    said(run, 2, 1);
    come(run, 1, 0xff0000);
    said(run, 3, 2);
    const size_t length = make_plain(64, 64, 0x00ff00);
    struct large large = {.id = 2, .bytes = length, .received = 100, .type = KYMO_LARGE_IMAGE};
    assert_int_equal(tracy_encode_large(run->encode, &large, file, 100), 0);
    mark(run, 4);
    tracy_run_connect(run, protocol);
    large.received = length;
    assert_int_equal(tracy_encode_large(run->encode, &large, file + 100, length - 100), 0);
    large.end = LARGE_WHOLE;
    assert_int_equal(tracy_encode_large(run->encode, &large, NULL, 0), 0);
    mark(run, 5);
    said(run, 6, 3);
    come(run, 3, 0x0000ff);
    end(run, 1, 0);
    assert_int_equal(run->peer->frames_before, 2);
    expect(run, 0, 3, 0x0000ff);
}

/* Lost, cancelled, of another type or format, without an event, in too great a number: left out, nothing is held. */
static void what_is_no_image(struct tracy_run *run) {
    const size_t length = make_plain(8, 8, 0xffffff);
    said(run, 1, 1);
    send_as(run, 1, KYMO_LARGE_IMAGE, length, LARGE_CUT);
    said(run, 1, 2);
    send_as(run, 2, KYMO_LARGE_IMAGE, length, LARGE_CANCELLED);
    send_as(run, 3, KYMO_LARGE_FILE, length, LARGE_WHOLE);
    said(run, 1, PHOTO);
    send_as(run, PHOTO, KYMO_LARGE_IMAGE, make("\x89PNG", 100), LARGE_WHOLE);
    for (uint64_t id = 5; id < 5 + 2 * TRACY_PICTURES_WAITING; id++) {
        come(run, id, 0xff0000);
    }
    said(run, 2, 5); /* gone long ago */
    said(run, 2, 5 + 2 * TRACY_PICTURES_WAITING - 1);
    for (uint64_t id = 1000; id < 1000 + 2 * TRACY_PICTURES_WAITING; id++) {
        mark(run, 3);
        said(run, 3, id);
    }
    come(run, 1000, 0x00ff00); /* its event is gone */
    come(run, 1000 + 2 * TRACY_PICTURES_WAITING - 1, 0x00ff00);
    end(run, 2, 0);
    assert_int_equal(run->peer->counts.messages, 1); /* of the photo */
    expect(run, 0, 2, 0xff0000);
    expect(run, 1, 2 + 2 * TRACY_PICTURES_WAITING, 0x00ff00);
}

/* The numbers of pictures start again with a reset; frames go on. */
static void a_reset(struct tracy_run *run) {
    said(run, 1, 1);
    come(run, 1, 0xff0000);
    mark(run, 2);
    said(run, 3, 2); /* its bytes never come */
    struct event event = {.kind = EVENT_SESSION, .time_ns = 4};
    event.u.session.session = event.u.session.resets = 1;
    event.u.session.image = "again";
    assert_int_equal(tracy_run_event(run, &event), 0);
    mark(run, 5);
    come(run, 2, 0x00ff00);
    mark(run, 6);
    said(run, 7, 2);
    end(run, 2, 0);
    expect(run, 0, 2, 0xff0000);
    expect(run, 1, 5, 0x00ff00);
}

CASE(in_every_protocol) {
    static void (*const tests[])(struct tracy_run *) = {both_orders, frames_back, a_later_viewer,
                                                        what_is_no_image, a_reset};
    tracy_run_each(tests, sizeof tests / sizeof tests[0]);
}
