/* SPDX-License-Identifier: MIT */
#include "base/by_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/temporary.h"
#include "platform/file.h"

/* A record in the file: its place in the order, its length, its bytes. */
struct head {
    int64_t time_ns;
    uint64_t rank, number;
    uint64_t length;
};

#define READ_BYTES 65536u
#define ENTRIES 65536u
#define BYTES (BY_TIME_BYTES - ENTRIES * sizeof(struct by_time_entry))

/* ---- records in memory ---- */

static int compare(const void *a, const void *b) {
    const struct by_time_entry *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns < y->time_ns ? -1 : 1)
           : x->rank != y->rank     ? (x->rank < y->rank ? -1 : 1)
                                    : (x->number > y->number) - (x->number < y->number);
}

static void sort(struct by_time *order) {
    size_t i = 1;
    while (i < order->count && compare(&order->entries[i - 1], &order->entries[i]) < 0) {
        i++;
    }
    if (i < order->count) {
        qsort(order->entries, order->count, sizeof *order->entries, compare);
    }
}

static int resize_bytes(struct by_time *order, size_t size) {
    uint8_t *bytes = realloc(order->bytes, size);
    if (!bytes) {
        return -ENOMEM;
    }
    order->bytes = bytes;
    order->size = size;
    return 0;
}

static int resize_entries(struct by_time *order, size_t capacity) {
    struct by_time_entry *entries = realloc(order->entries, capacity * sizeof *entries);
    if (!entries) {
        return -ENOMEM;
    }
    order->entries = entries;
    order->capacity = capacity;
    return 0;
}

static size_t at_most(size_t number, size_t most) { return number < most ? number : most; }

/* Makes room for a record that does not fit, up to the limit. */
static int reserve(struct by_time *order, size_t length) {
    int error = 0;
    if (order->count == order->capacity && order->capacity < ENTRIES) {
        error = resize_entries(order, at_most(order->capacity * 2 + 256, ENTRIES));
    }
    if (!error && length > order->size - order->used && order->size < BYTES) {
        error = resize_bytes(order, at_most(order->size * 2 + length + READ_BYTES / 4, BYTES));
    }
    return error;
}

/* ---- to the file ---- */

static struct by_time_run *add_run(struct by_time *order) {
    if (!grow(&order->runs, &order->run_capacity, order->run_count, sizeof *order->runs)) {
        return NULL;
    }
    order->runs[order->run_count] = (struct by_time_run){.from = order->written};
    return &order->runs[order->run_count++];
}

/* The run that is written fits before it, or it begins another one. */
static struct by_time_run *run_for(struct by_time *order, const struct by_time_entry *first) {
    struct by_time_run *last = order->run_count > 0 ? &order->runs[order->run_count - 1] : NULL;
    const bool fits = last && (last->last_ns != first->time_ns ? last->last_ns < first->time_ns
                                                               : last->last_rank <= first->rank);
    return fits ? last : add_run(order);
}

static int write_entries(struct by_time *order, size_t count) {
    struct by_time_run *run = run_for(order, &order->entries[0]);
    uint8_t *block = malloc(READ_BYTES), *at = block;
    int error = run && block ? 0 : -ENOMEM;
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct by_time_entry *entry = &order->entries[i];
        const struct head head = {entry->time_ns, entry->rank, entry->number, entry->length};
        const size_t needed = sizeof head + entry->length;
        if (needed > READ_BYTES - (size_t)(at - block)) {
            error = temporary_write(order->fd, block, (size_t)(at - block));
            at = block;
        }
        if (needed > READ_BYTES) {
            error = error ? error : temporary_write(order->fd, (const uint8_t *)&head, sizeof head);
            error =
                error ? error : temporary_write(order->fd, order->bytes + entry->at, entry->length);
        } else {
            memcpy(at, &head, sizeof head);
            memcpy(at + sizeof head, order->bytes + entry->at, entry->length);
            at += needed;
        }
        order->written += needed;
        run->last_ns = entry->time_ns;
        run->last_rank = entry->rank;
    }
    error = error ? error : temporary_write(order->fd, block, (size_t)(at - block));
    if (run) {
        run->to = order->written;
    }
    free(block);
    return error;
}

/* The ones that stay move to the front. */
static int keep_rest(struct by_time *order, size_t from) {
    uint8_t *bytes = malloc(order->size);
    size_t used = 0;
    if (!bytes) {
        return -ENOMEM;
    }
    for (size_t i = from; i < order->count; i++) {
        struct by_time_entry *entry = &order->entries[i];
        memcpy(bytes + used, order->bytes + entry->at, entry->length);
        entry->at = used;
        used += entry->length;
        order->entries[i - from] = *entry;
    }
    free(order->bytes);
    order->bytes = bytes;
    order->used = used;
    order->count -= from;
    return 0;
}

/* Writes out the earlier half: late records find their place in the other half. */
static int spill(struct by_time *order, size_t count) {
    if (order->fd < 0 && (order->fd = temporary_open()) < 0) {
        return order->fd;
    }
    sort(order);
    const int error = write_entries(order, count);
    return error ? error : keep_rest(order, count);
}

int by_time_add(struct by_time *order, int64_t time_ns, uint64_t rank, const void *bytes,
                size_t length) {
    int error = reserve(order, length);
    if (!error && order->count > 0 &&
        (order->count == ENTRIES || length > order->size - order->used)) {
        error = spill(order, (order->count + 1) / 2);
    }
    if (!error && length > order->size - order->used) { /* greater than the whole buffer */
        error = resize_bytes(order, order->used + length);
    }
    if (error) {
        return error;
    }
    memcpy(order->bytes + order->used, bytes, length);
    order->entries[order->count++] =
        (struct by_time_entry){time_ns, rank, order->number++, order->used, length};
    order->used += length;
    return 0;
}

/* ---- from the file ---- */

/* Reads at least so many bytes after "used", if the run has them. */
static int fill(struct by_time *order, struct by_time_run *run, size_t wanted) {
    if (run->filled - run->used >= wanted) {
        return 0;
    }
    if (run->filled > run->used) {
        memmove(run->buffer, run->buffer + run->used, run->filled - run->used);
    }
    run->filled -= run->used;
    run->used = 0;
    if (wanted > run->size) {
        const size_t size = wanted + READ_BYTES;
        uint8_t *buffer = realloc(run->buffer, size);
        if (!buffer) {
            return -ENOMEM;
        }
        run->buffer = buffer;
        run->size = size;
    }
    while (run->filled < wanted) {
        const uint64_t left = run->to - run->from;
        const size_t room = run->size - run->filled;
        const ssize_t count = sys_read_at(order->fd, run->buffer + run->filled,
                                          left < room ? (size_t)left : room, (int64_t)run->from);
        if (count <= 0 && !(count < 0 && errno == EINTR)) {
            return count < 0 ? -errno : -EIO;
        }
        run->filled += count > 0 ? (size_t)count : 0;
        run->from += count > 0 ? (uint64_t)count : 0;
    }
    return 0;
}

static bool is_empty(const struct by_time_run *run) {
    return run->from == run->to && run->used == run->filled;
}

static struct head head_of(const struct by_time_run *run) {
    struct head head;
    memcpy(&head, run->buffer + run->used, sizeof head);
    return head;
}

static bool is_before(const struct by_time_run *a, const struct by_time_run *b) {
    const struct head x = head_of(a), y = head_of(b);
    return x.time_ns != y.time_ns ? x.time_ns < y.time_ns
           : x.rank != y.rank     ? x.rank < y.rank
                                  : x.number < y.number;
}

/* A heap of runs: the one with the earliest record is the first. */
static void sift(struct by_time *order, size_t at) {
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < order->run_count; child++) {
            least = is_before(&order->runs[child], &order->runs[least]) ? child : least;
        }
        if (least == at) {
            return;
        }
        const struct by_time_run other = order->runs[at];
        order->runs[at] = order->runs[least];
        order->runs[least] = other;
        at = least;
    }
}

static void drop_first(struct by_time *order) {
    free(order->runs[0].buffer);
    order->runs[0] = order->runs[--order->run_count];
}

static int merge(struct by_time *order, void *context,
                 int (*give)(void *context, int64_t time_ns, const uint8_t *bytes, size_t length)) {
    int error = 0;
    for (size_t i = 0; i < order->run_count && error == 0; i++) {
        error = fill(order, &order->runs[i], sizeof(struct head));
    }
    for (size_t i = order->run_count / 2; error == 0 && i-- > 0;) {
        sift(order, i);
    }
    while (error == 0 && order->run_count > 0) {
        struct by_time_run *run = &order->runs[0];
        const struct head head = head_of(run);
        error = fill(order, run, sizeof head + head.length);
        if (error == 0) {
            error = give(context, head.time_ns, run->buffer + run->used + sizeof head, head.length);
            run->used += sizeof head + head.length;
        }
        if (error == 0 && is_empty(run)) {
            drop_first(order);
        } else if (error == 0) {
            error = fill(order, run, sizeof head);
        }
        if (error == 0) {
            sift(order, 0);
        }
    }
    return error;
}

int by_time_each(struct by_time *order, void *context,
                 int (*give)(void *context, int64_t time_ns, const uint8_t *bytes, size_t length)) {
    int error = 0;
    if (order->run_count > 0) {
        error = order->count > 0 ? spill(order, order->count) : 0;
        return error ? error : merge(order, context, give);
    }
    sort(order);
    for (size_t i = 0; i < order->count && error == 0; i++) {
        const struct by_time_entry *entry = &order->entries[i];
        error = give(context, entry->time_ns, order->bytes + entry->at, entry->length);
    }
    return error;
}

void by_time_free(struct by_time *order) {
    for (size_t i = 0; i < order->run_count; i++) {
        free(order->runs[i].buffer);
    }
    free(order->runs);
    free(order->bytes);
    free(order->entries);
    if (order->fd >= 0) {
        (void)sys_close(order->fd);
    }
    *order = (struct by_time){.fd = -1};
}
