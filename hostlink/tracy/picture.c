/* SPDX-License-Identifier: MIT */
#include "tracy/picture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- BC1 ---- */

#define CHANNELS 3u
#define STEPS 4u

static uint16_t packed(const int32_t color[CHANNELS]) {
    const int32_t red = (color[0] * 31 + 127) / 255, green = (color[1] * 63 + 127) / 255,
                  blue = (color[2] * 31 + 127) / 255;
    return (uint16_t)(red << 11 | green << 5 | blue);
}

/* Unpacks like a viewer, which repeats the upper bits below. */
static void unpack(uint16_t color, int32_t out[CHANNELS]) {
    const int32_t red = color >> 11, green = color >> 5 & 63, blue = color & 31;
    out[0] = red << 3 | red >> 2;
    out[1] = green << 2 | green >> 4;
    out[2] = blue << 3 | blue >> 2;
}

/* The two ends of the line that the block's colours lie on: corners of the box around them. Of its diagonals that one
 * along which the other channels go as they do with the channel of the widest range. */
static void find_ends(const uint8_t pixels[BC1_PIXELS][3], int32_t low[CHANNELS],
                      int32_t high[CHANNELS]) {
    uint32_t widest = 0;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        low[c] = high[c] = pixels[0][c];
        for (uint32_t i = 1; i < BC1_PIXELS; i++) {
            low[c] = pixels[i][c] < low[c] ? pixels[i][c] : low[c];
            high[c] = pixels[i][c] > high[c] ? pixels[i][c] : high[c];
        }
        widest = high[c] - low[c] > high[widest] - low[widest] ? c : widest;
    }
    const int32_t middle = low[widest] + high[widest];
    for (uint32_t c = 0; c < CHANNELS; c++) {
        const int32_t own_middle = low[c] + high[c];
        int32_t together = 0;
        for (uint32_t i = 0; i < BC1_PIXELS; i++) {
            together += (2 * pixels[i][widest] - middle) * (2 * pixels[i][c] - own_middle);
        }
        if (together < 0) {
            const int32_t lowest = low[c];
            low[c] = high[c];
            high[c] = lowest;
        }
    }
}

static int32_t distance(const uint8_t pixel[CHANNELS], const int32_t color[CHANNELS]) {
    int32_t sum = 0;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        sum += (pixel[c] - color[c]) * (pixel[c] - color[c]);
    }
    return sum;
}

/* Two bits for each pixel, the first one in the lowest: the nearest of the steps from "last" to "first". */
static uint32_t choose(const uint8_t pixels[BC1_PIXELS][3], uint16_t first, uint16_t last) {
    int32_t steps[STEPS][CHANNELS];
    uint32_t numbers = 0;
    unpack(last, steps[0]);
    unpack(first, steps[STEPS - 1]);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        steps[1][c] = (2 * steps[0][c] + steps[STEPS - 1][c]) / 3;
        steps[2][c] = (steps[0][c] + 2 * steps[STEPS - 1][c]) / 3;
    }
    for (uint32_t i = 0; i < BC1_PIXELS; i++) {
        uint32_t best = 0;
        for (uint32_t step = 1; step < STEPS; step++) {
            best =
                distance(pixels[i], steps[step]) < distance(pixels[i], steps[best]) ? step : best;
        }
        numbers |= best << (2 * i);
    }
    return numbers;
}

static void store(uint8_t *at, uint32_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* The first colour is the greater number: else the block would be of three colours and black. That one is used where
 * there is one colour only: it is the second, and number 0 of all pixels. */
void bc1_block(const uint8_t pixels[BC1_PIXELS][3], uint8_t out[BC1_BLOCK_BYTES]) {
    int32_t low[CHANNELS], high[CHANNELS];
    find_ends(pixels, low, high);
    const uint16_t one = packed(low), other = packed(high);
    const uint16_t first = one > other ? one : other, last = one > other ? other : one;
    const bool is_plain = first == last;
    store(out, is_plain ? 0 : first, 2);
    store(out + 2, last, 2);
    store(out + 4, is_plain ? 0 : choose(pixels, first, last), 4);
}

#define WORD_BYTES 12u
#define NUMBER_MAX 0x1000000u /* nothing that a board sends has more bytes than this */
/* The comment in which the runtime writes how many frames ago the picture was shown. */
#define BACK_TEXT "# frames back: "

/* The head of a file while it is read. */
struct head {
    const uint8_t *bytes;
    size_t length, at;
    uint32_t width, height, depth, maximum, back;
};

/* The picture to convert. */
struct source {
    const uint8_t *pixels;
    uint32_t width, height, depth, maximum;
    uint32_t factor; /* pixels in both directions that become one */
};

static bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\v' ||
           byte == '\f';
}

static bool read_number(struct head *h, uint32_t *number) {
    const size_t begin = h->at;
    uint32_t value = 0;
    while (h->at < h->length && h->bytes[h->at] >= '0' && h->bytes[h->at] <= '9') {
        value = value * 10 + (uint32_t)(h->bytes[h->at++] - '0');
        if (value > NUMBER_MAX) {
            return false;
        }
    }
    *number = value;
    return h->at > begin;
}

static void skip_remark(struct head *h) {
    const size_t length = sizeof BACK_TEXT - 1;
    if (h->length - h->at > length && memcmp(h->bytes + h->at, BACK_TEXT, length) == 0) {
        h->at += length;
        if (!read_number(h, &h->back)) {
            h->back = 0;
        }
    }
    while (h->at < h->length && h->bytes[h->at] != '\n') {
        h->at++;
    }
}

static void skip_space(struct head *h) {
    while (h->at < h->length && (is_space(h->bytes[h->at]) || h->bytes[h->at] == '#')) {
        if (h->bytes[h->at] == '#') {
            skip_remark(h);
        } else {
            h->at++;
        }
    }
}

static bool next_number(struct head *h, uint32_t *number) {
    skip_space(h);
    return read_number(h, number);
}

/* The next word, cut; "" at the end. */
static void next_word(struct head *h, char word[WORD_BYTES]) {
    size_t used = 0;
    skip_space(h);
    while (h->at < h->length && !is_space(h->bytes[h->at])) {
        if (used < WORD_BYTES - 1) {
            word[used++] = (char)h->bytes[h->at];
        }
        h->at++;
    }
    word[used] = '\0';
}

/* PPM and PGM: three numbers in their order. */
static bool read_short_head(struct head *h) {
    h->depth = h->bytes[1] == '6' ? 3 : 1;
    return next_number(h, &h->width) && next_number(h, &h->height) && next_number(h, &h->maximum);
}

/* PAM: words with a number each. */
static bool read_long_head(struct head *h) {
    char word[WORD_BYTES];
    for (next_word(h, word); strcmp(word, "ENDHDR") != 0; next_word(h, word)) {
        uint32_t *number = strcmp(word, "WIDTH") == 0    ? &h->width
                           : strcmp(word, "HEIGHT") == 0 ? &h->height
                           : strcmp(word, "DEPTH") == 0  ? &h->depth
                           : strcmp(word, "MAXVAL") == 0 ? &h->maximum
                                                         : NULL;
        if (number != NULL ? !next_number(h, number) : strcmp(word, "TUPLTYPE") != 0) {
            return false;
        }
        if (number == NULL) {
            next_word(h, word); /* the depth tells the kind of samples */
        }
    }
    return true;
}

/* One byte of space stands before the pixels. */
static bool read_head(struct head *h) {
    if (h->length < 3 || h->bytes[0] != 'P' || h->bytes[1] < '5' || h->bytes[1] > '7') {
        return false;
    }
    h->at = 2;
    const bool good = h->bytes[1] == '7' ? read_long_head(h) : read_short_head(h);
    if (!good || h->at == h->length || !is_space(h->bytes[h->at++])) {
        return false;
    }
    const uint64_t bytes = (uint64_t)h->width * h->height;
    return bytes != 0 && bytes <= NUMBER_MAX && h->depth >= 1 && h->depth <= 4 && h->maximum >= 1 &&
           h->maximum <= 255 && bytes * h->depth <= h->length - h->at;
}

/* The side of a picture in the viewer. */
static uint32_t shrunk(uint32_t side, uint32_t factor) {
    const uint32_t pixels = (side + factor - 1) / factor;
    return (pixels + BC1_SIDE - 1) / BC1_SIDE * BC1_SIDE;
}

static bool fits(const struct source *source, uint32_t factor) {
    const uint64_t width = shrunk(source->width, factor), height = shrunk(source->height, factor);
    return width <= TRACY_PICTURE_SIDE_MAX && height <= TRACY_PICTURE_SIDE_MAX &&
           width * height / 2 <= TRACY_PICTURE_BYTES_MAX;
}

static uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

/* The source pixels along one side that the viewer's pixel "at" covers; beyond the edge the last one. */
struct span {
    uint32_t begin, end;
};

static struct span span_of(uint32_t at, uint32_t factor, uint32_t side) {
    const uint32_t begin = at_most(at * factor, side - 1);
    return (struct span){begin, at_most(begin + factor, side)};
}

/* The mean of the source pixels that one of the viewer's covers. */
static void shown_pixel(const struct source *s, uint32_t x, uint32_t y, uint8_t out[3]) {
    const struct span columns = span_of(x, s->factor, s->width);
    const struct span rows = span_of(y, s->factor, s->height);
    uint32_t sum[3] = {0};
    for (uint32_t row = rows.begin; row < rows.end; row++) {
        for (uint32_t column = columns.begin; column < columns.end; column++) {
            const uint8_t *pixel = s->pixels + ((size_t)row * s->width + column) * s->depth;
            for (uint32_t c = 0; c < 3; c++) {
                sum[c] += at_most(pixel[s->depth < 3 ? 0 : c], s->maximum);
            }
        }
    }
    const uint32_t most = (rows.end - rows.begin) * (columns.end - columns.begin) * s->maximum;
    for (uint32_t c = 0; c < 3; c++) {
        out[c] = (uint8_t)(((uint64_t)sum[c] * 255 + most / 2) / most);
    }
}

static void draw(const struct tracy_picture *picture, const struct source *source) {
    uint8_t *out = picture->data;
    for (uint32_t y = 0; y < picture->height; y += BC1_SIDE) {
        for (uint32_t x = 0; x < picture->width; x += BC1_SIDE) {
            uint8_t pixels[BC1_PIXELS][3];
            for (uint32_t i = 0; i < BC1_PIXELS; i++) {
                shown_pixel(source, x + i % BC1_SIDE, y + i / BC1_SIDE, pixels[i]);
            }
            bc1_block((const uint8_t(*)[3])pixels, out);
            out += BC1_BLOCK_BYTES;
        }
    }
}

int tracy_picture_make(struct tracy_picture *picture, const uint8_t *file, size_t length) {
    struct head head = {.bytes = file, .length = length};
    if (!read_head(&head)) {
        return -EINVAL;
    }
    struct source source = {.pixels = file + head.at,
                            .width = head.width,
                            .height = head.height,
                            .depth = head.depth,
                            .maximum = head.maximum,
                            .factor = 1};
    while (!fits(&source, source.factor)) {
        source.factor++;
    }
    *picture = (struct tracy_picture){.width = (uint16_t)shrunk(source.width, source.factor),
                                      .height = (uint16_t)shrunk(source.height, source.factor),
                                      .back = head.back};
    picture->bytes = (uint32_t)picture->width * picture->height / 2;
    picture->data = malloc(picture->bytes);
    if (picture->data == NULL) {
        return -ENOMEM;
    }
    draw(picture, &source);
    return 0;
}
