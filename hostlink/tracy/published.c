/* SPDX-License-Identifier: MIT */
#include "tracy/published.h"

#include <stdlib.h>
#include <string.h>

#include "tracy/source_code.h"

static const char *published_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(name);
    return length > KYMO_LARGE_NAME_BYTES ? name + length - KYMO_LARGE_NAME_BYTES : name;
}

static void forget(struct tracy_published *p) {
    free(p->coming.text);
    p->coming = (struct tracy_published_file){.text = NULL};
    p->coming_id = 0;
}

static bool is_same(const struct tracy_published_file *a, const struct tracy_published_file *b) {
    return strcmp(a->name, b->name) == 0 && a->length == b->length &&
           (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

static void keep(struct tracy_published *p) {
    bool is_new = p->count < TRACY_PUBLISHED_MAX && p->coming.name[0] != '\0' &&
                  p->coming.length <= TRACY_PUBLISHED_BYTES_MAX - p->bytes;
    for (uint32_t i = 0; is_new && i < p->count; i++) {
        is_new = !is_same(&p->files[i], &p->coming);
    }
    if (is_new) {
        p->files[p->count++] = p->coming;
        p->bytes += p->coming.length;
        p->coming.text = NULL;
    }
    forget(p);
}

static bool append(struct tracy_published_file *file, const uint8_t *bytes, size_t length) {
    if (length > TRACY_SOURCE_BYTES_MAX - file->length) {
        return false;
    }
    uint8_t *text = realloc(file->text, file->length + length);
    if (text == NULL) {
        return false;
    }
    file->text = text;
    memcpy(text + file->length, bytes, length);
    file->length += length;
    return true;
}

void tracy_published_take(struct tracy_published *p, const struct large *large,
                          const uint8_t *bytes, size_t length) {
    if (large->type != KYMO_LARGE_TEXT) {
        return;
    }
    if (length != 0 && large->received == length) {
        forget(p);
        p->coming_id = large->id;
        (void)strcpy(p->coming.name, published_name(large->name));
    }
    if (p->coming_id == 0 || p->coming_id != large->id) {
        return; /* its begin was not here */
    }
    if (length != 0 && !append(&p->coming, bytes, length)) {
        forget(p);
    } else if (large->end == LARGE_WHOLE) {
        keep(p);
    } else if (large->end != LARGE_GOES_ON) {
        forget(p);
    }
}

const struct tracy_published_file *tracy_published_find(const struct tracy_published *p,
                                                        const char *path) {
    const char *name = published_name(path);
    for (uint32_t i = p->count; i > 0; i--) {
        if (strcmp(p->files[i - 1].name, name) == 0) {
            return &p->files[i - 1];
        }
    }
    return NULL;
}

void tracy_published_free(struct tracy_published *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        free(p->files[i].text);
    }
    forget(p);
    p->count = 0;
}
