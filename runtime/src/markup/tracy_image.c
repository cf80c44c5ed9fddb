/* SPDX-License-Identifier: MIT */
/* Tracy's frame images: they are copied, one at a time or in the client some, and leave as large things, files of the
 * format PAM (netpbm). */
#include "kymo/tracy.h"

#include "../ring/claim.h"
#include "../ring/lane.h"

#if KYMO_ENABLE && KYMO_TRACY

#if KYMO_TRACY_IMAGE == 0

void kymo_tracy_image(const void *pixels, uint32_t width, uint32_t height, uint8_t back,
                      bool flip) {
    (void)pixels;
    (void)width;
    (void)height;
    (void)back;
    (void)flip;
}

#if KYMO_CLIENT
void kymo_client_wants_images(bool wants) { (void)wants; }
#endif

#else

_Static_assert(KYMO_LARGE != 0,
               "KYMO_TRACY_IMAGE needs KYMO_LARGE, by which images leave the board");

#define PAM_HEAD_BYTES 112u
#define PIXEL_BYTES 4u

struct image {
    struct kymo_large large; /* first: was_sent() */
    uint32_t taken;
    char name[sizeof "frame-4294967295.pam"];
    uint8_t bytes[PAM_HEAD_BYTES + (KYMO_TRACY_IMAGE)];
};

#if KYMO_CLIENT
/* The number that a program draws while the client's thread waits for a processor. Untouched ones take no memory. */
#define IMAGES 8u
#else
#define IMAGES 1u
#endif

static struct image images[IMAGES];
static uint32_t image_count;

#if KYMO_CLIENT
static bool unwanted;

void kymo_client_wants_images(bool wants) { __atomic_store_n(&unwanted, !wants, __ATOMIC_RELAXED); }

static bool is_wanted(void) { return !__atomic_load_n(&unwanted, __ATOMIC_RELAXED); }
#else
static bool is_wanted(void) { return true; }
#endif

static uint32_t put_text(uint8_t *to, const char *text) {
    uint32_t length = 0u;
    while (text[length] != '\0') {
        to[length] = (uint8_t)text[length];
        length++;
    }
    return length;
}

static uint32_t put_number(uint8_t *to, uint32_t number) {
    char digits[11];
    uint32_t at = sizeof digits - 1u;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    return put_text(to, &digits[at]);
}

/* The remark is read by hostlink (hostlink/tracy/picture.c); the present frame has no remark. */
static uint32_t put_image_head(uint8_t *to, uint32_t width, uint32_t height, uint8_t back) {
    uint32_t at = put_text(to, "P7\n");
    if (back != 0u) {
        at += put_text(to + at, "# frames back: ");
        at += put_number(to + at, back);
        at += put_text(to + at, "\n");
    }
    at += put_text(to + at, "WIDTH ");
    at += put_number(to + at, width);
    at += put_text(to + at, "\nHEIGHT ");
    at += put_number(to + at, height);
    return at + put_text(to + at, "\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n");
}

static void put_name(struct image *image) {
    uint8_t *name = (uint8_t *)image->name;
    uint32_t at = put_text(name, "frame-");
    at += put_number(name + at, kymo_claim_add(&image_count, 1u));
    at += put_text(name + at, ".pam");
    name[at] = 0u;
}

static void was_sent(struct kymo_large *large, bool sent) {
    (void)sent;
    KYMO_PUBLISH(((struct image *)(void *)large)->taken, 0u);
}

static struct image *take_image(void) {
    for (uint32_t i = 0u; i < IMAGES; i++) {
        if (kymo_claim(&images[i].taken, 0u, 1u)) {
            return &images[i];
        }
    }
    return NULL;
}

static void copy_image(struct image *image, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint8_t back, bool flip) {
    const uint32_t row_bytes = width * PIXEL_BYTES;
    uint32_t at = put_image_head(image->bytes, width, height, back);
    for (uint32_t row = 0u; row < height; row++) {
        const uint8_t *from = pixels + (size_t)row_bytes * (flip ? height - 1u - row : row);
        for (uint32_t i = 0u; i < row_bytes; i++) {
            image->bytes[at++] = from[i];
        }
    }
    put_name(image);
    image->large = (struct kymo_large){.bytes = image->bytes,
                                       .length = at,
                                       .name = image->name,
                                       .type = KYMO_LARGE_IMAGE,
                                       .done = was_sent};
}

void kymo_tracy_image(const void *pixels, uint32_t width, uint32_t height, uint8_t back,
                      bool flip) {
    if (pixels == NULL || width == 0u || height == 0u ||
        width > (KYMO_TRACY_IMAGE) / PIXEL_BYTES / height) {
        kymo_tracy_misused(KYMO_TRACY_IMAGE_TOO_LARGE);
        return;
    }
    struct image *image = is_wanted() ? take_image() : NULL;
    if (image == NULL) {
        kymo_tracy_misused(KYMO_TRACY_IMAGE_BUSY);
        return;
    }
    copy_image(image, pixels, width, height, back, flip);
    if (!kymo_large_send(&image->large)) {
        kymo_tracy_misused(KYMO_TRACY_IMAGE_BUSY);
        KYMO_PUBLISH(image->taken, 0u);
    }
}

#endif

#endif
