/* SPDX-License-Identifier: MIT */
/* Records brought into the order of time, those of equal time in that of their rank, then in the order of arrival.
 * Records nearly in order take one pass through a temporary file; memory is BY_TIME_BYTES and a little for each part
 * that does not fit after the one before. */
#ifndef HOSTLINK_BY_TIME_H
#define HOSTLINK_BY_TIME_H

#include <stddef.h>
#include <stdint.h>

#define BY_TIME_BYTES 8388608u

struct by_time_entry {
    int64_t time_ns;
    uint64_t rank, number; /* the latter in the order of coming */
    size_t at, length;
};

/* A part of the file that is in order. */
struct by_time_run {
    uint64_t from, to; /* bytes of the file */
    int64_t last_ns;
    uint64_t last_rank;
    uint8_t *buffer; /* while it is read */
    size_t used, filled, size;
};

/* All zero but "fd" = -1 is empty. */
struct by_time {
    uint8_t *bytes;
    size_t used, size;
    struct by_time_entry *entries;
    size_t count, capacity;
    uint64_t number;
    int fd; /* of the temporary file */
    uint64_t written;
    struct by_time_run *runs;
    uint32_t run_count, run_capacity;
};

/* 0 or -errno. */
int by_time_add(struct by_time *order, int64_t time_ns, uint64_t rank, const void *bytes,
                size_t length);
/* Call after the last one: gives all of them. 0, -errno, or the value of "give". */
int by_time_each(struct by_time *order, void *context,
                 int (*give)(void *context, int64_t time_ns, const uint8_t *bytes, size_t length));
void by_time_free(struct by_time *order);

#endif
