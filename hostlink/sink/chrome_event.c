/* SPDX-License-Identifier: MIT */
#include "sink/chrome_event.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "sink/json_text.h"

_Static_assert(CHROME_TEXT_BYTES % CHROME_PIECE_BYTES == 0, "pieces fill a text");

/* False: there is no room for it. */
static bool add(struct chrome_text *text, const char *bytes, size_t length) {
    if (length > sizeof text->bytes - text->length) {
        return false;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += (uint32_t)length;
    return true;
}

static bool add_text(struct chrome_text *text, const char *bytes) {
    return add(text, bytes, strlen(bytes));
}

static bool add_plain(struct chrome_text *text, const char *bytes) {
    const size_t length = strlen(bytes);
    return json_plain_length(bytes, length) == length && add(text, bytes, length);
}

static bool add_number(struct chrome_text *text, uint64_t number) {
    char digits[DECIMAL_BYTES];
    return add(text, digits, (size_t)(decimal_put(digits, number) - digits));
}

static void make_site(struct chrome_site *made, const struct site *site) {
    struct chrome_text *name = &made->name_text, *place = &made->place;
    made->site = site;
    made->name = site->name;
    made->file = site->file;
    made->line = site->line;
    name->length = place->length = 0;
    made->kept = add_text(name, "\"") && add_plain(name, site->name) && add_text(name, "\"");
    if (made->kept && site->file[0] != '\0') {
        made->kept = add_text(place, ",\"loc\":\"") && add_plain(place, site->file) &&
                     add_text(place, ":") && add_number(place, site->line) && add_text(place, "\"");
    }
}

/* A site's names may come later, or be taken back. */
static bool is_of(const struct chrome_site *made, const struct site *site) {
    return made->site == site && made->name == site->name && made->file == site->file &&
           made->line == site->line;
}

const struct chrome_site *chrome_site(struct chrome_texts *texts, const struct site *site) {
    struct chrome_site **made = &texts->sites[site->id % CHROME_SITES];
    if (*made == NULL) {
        *made = calloc(1, sizeof **made);
    }
    if (*made == NULL) {
        return NULL;
    }
    if (!is_of(*made, site)) {
        make_site(*made, site);
    }
    return (*made)->kept ? *made : NULL;
}

const struct chrome_text *chrome_row(struct chrome_texts *texts, uint32_t session, uint32_t tid) {
    struct chrome_row *row = &texts->rows[tid % CHROME_ROWS];
    struct chrome_text *text = &row->text;
    if (text->length == 0 || row->session != session || row->tid != tid) {
        row->session = session;
        row->tid = tid;
        text->length = 0;
        /* Process 0 is a process of the system for some readers. */
        (void)(add_text(text, ",\"pid\":") && add_number(text, session + UINT64_C(1)) &&
               add_text(text, ",\"tid\":") && add_number(text, tid) && add_text(text, ",\"ts\":"));
    }
    return text;
}

void chrome_texts_free(struct chrome_texts *texts) {
    for (uint32_t i = 0; i < CHROME_SITES; i++) {
        free(texts->sites[i]);
    }
    *texts = (struct chrome_texts){0};
}
