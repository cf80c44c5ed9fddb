/* SPDX-License-Identifier: MIT */
#include "import/played.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static void fail(struct played *played, int error) {
    played->error = played->error ? played->error : error;
}

/* ---- collecting ---- */

static uint32_t add_row(struct played *played) {
    if (!grow(&played->rows, &played->row_capacity, played->row_count, sizeof *played->rows)) {
        fail(played, -ENOMEM);
        return 0;
    }
    played->rows[played->row_count] = (struct played_row){.lane = -1, .kind = KYMO_CONTEXT_TASK};
    return played->row_count++;
}

uint32_t played_row(struct played *played, const void *key, size_t length) {
    const int64_t number = keytable_add(&played->row_keys, key, length);
    if (number < 0) {
        fail(played, (int)number);
        return 0;
    }
    return (uint64_t)number < played->row_count ? (uint32_t)number : add_row(played);
}

void played_name_row(struct played *played, uint32_t row, const char *name) {
    char *copy = strdup(name);
    if (!copy || played->error) {
        free(copy);
        fail(played, -ENOMEM);
        return;
    }
    free(played->rows[row].name);
    played->rows[row].name = copy;
}

uint32_t played_site(struct played *played, const struct played_site *site) {
    const uint32_t head[2] = {(uint32_t)site->kind, site->line};
    const size_t name = strlen(site->name) + 1, file = strlen(site->file);
    char *key = malloc(sizeof head + name + file);
    if (!key) {
        fail(played, -ENOMEM);
        return 0;
    }
    memcpy(key, head, sizeof head);
    memcpy(key + sizeof head, site->name, name);
    memcpy(key + sizeof head + name, site->file, file);
    const int64_t number = keytable_add(&played->sites, key, sizeof head + name + file);
    free(key);
    fail(played, number < 0 ? (int)number : 0);
    return number < 0 ? 0 : (uint32_t)number;
}

static void add(struct played *played, int64_t time_ns, uint64_t rank,
                const struct played_note *note, const char *text) {
    uint8_t record[sizeof *note + PLAYED_TEXT_BYTES];
    const size_t length = text ? strnlen(text, PLAYED_TEXT_BYTES) : 0;
    if (played->error) {
        return;
    }
    memcpy(record, note, sizeof *note);
    memcpy(record + sizeof *note, text ? text : "", length);
    fail(played, by_time_add(&played->order, time_ns, rank, record, sizeof *note + length));
    played->first_ns = !played->any || time_ns < played->first_ns ? time_ns : played->first_ns;
    played->last_ns = !played->any || time_ns > played->last_ns ? time_ns : played->last_ns;
    played->any = true;
}

/* If zones begin at one time, the longest one is around the others. */
void played_begin(struct played *played, uint32_t row, int64_t time_ns, int64_t end_ns,
                  uint32_t site, const char *text) {
    const struct played_note note = {
        .kind = KYMO_KIND_ZONE_BEGIN, .row = row, .site = site, .end_ns = end_ns};
    const uint64_t length = (uint64_t)end_ns - (uint64_t)time_ns;
    add(played, time_ns, end_ns == PLAYED_OPEN ? 0 : UINT64_MAX - length, &note, text);
    if (end_ns != PLAYED_OPEN && end_ns > played->last_ns) {
        played->last_ns = end_ns;
    }
}

void played_end(struct played *played, uint32_t row, int64_t time_ns) {
    add(played, time_ns, 0, &(struct played_note){.kind = KYMO_KIND_ZONE_END, .row = row}, NULL);
}

void played_message(struct played *played, uint32_t row, int64_t time_ns, uint32_t site,
                    const char *text) {
    add(played, time_ns, 0,
        &(struct played_note){.kind = KYMO_KIND_MESSAGE_TEXT, .row = row, .site = site}, text);
}

void played_plot(struct played *played, uint32_t row, int64_t time_ns, uint32_t site,
                 double value) {
    add(played, time_ns, 0,
        &(struct played_note){
            .kind = KYMO_KIND_PLOT_DOUBLE, .row = row, .site = site, .value = value},
        NULL);
}

void played_flow(struct played *played, uint32_t row, int64_t time_ns, uint32_t site,
                 enum kymo_event_kind kind, uint64_t id) {
    const struct played_note note = {.kind = (uint8_t)kind, .row = row, .site = site, .id = id};
    add(played, time_ns, 0, &note, NULL);
}

void played_kind(struct played *played, uint32_t row, enum kymo_context_kind kind) {
    if (!played->error) {
        played->rows[row].kind = (uint8_t)kind;
    }
}

void played_switch(struct played *played, uint32_t row, int64_t time_ns) {
    played->kernel = true;
    add(played, time_ns, 0, &(struct played_note){.kind = KYMO_KIND_CONTEXT, .row = row}, NULL);
}

void played_ready(struct played *played, uint32_t row, int64_t time_ns) {
    add(played, time_ns, 0, &(struct played_note){.kind = KYMO_KIND_TASK_READY, .row = row}, NULL);
}

void played_waits(struct played *played, uint32_t row, int64_t time_ns, enum kymo_why why) {
    const struct played_note note = {.kind = KYMO_KIND_TASK_WAITS, .row = row, .id = why};
    add(played, time_ns, 0, &note, NULL);
}

void played_free(struct played *played) {
    for (uint32_t i = 0; i < played->row_count; i++) {
        free(played->rows[i].name);
        free(played->rows[i].ends);
    }
    free(played->rows);
    keytable_free(&played->sites);
    keytable_free(&played->row_keys);
    by_time_free(&played->order);
}
