/* SPDX-License-Identifier: MIT */
/* The stream that Zephyr's CTF tracing writes (subsys/tracing/ctf), of one core: each event 32 bits of nanoseconds,
 * which wrap, a number, and fields without padding. The metadata beside it is always the same, so that it is not
 * needed. Threads are tasks; named events are messages. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"

#define HEAD_BYTES 5u
#define NAME_BYTES 20u
#define LOOKED_AT 64u /* events that a file must begin with to look like it */
#define FIRST 0x10u

enum {
    SWITCHED_OUT = 0x10,
    SWITCHED_IN,
    PRIORITY_SET,
    CREATE,
    ABORT,
    SUSPEND,
    RESUME,
    READY,
    PENDING,
    INFO,
    NAME_SET,
    ISR_ENTER,
    ISR_EXIT,
    ISR_EXIT_TO_SCHEDULER,
    IDLE,
    USER_MODE_ENTER = 0x34,
    WAKEUP = 0x35,
    NAMED_EVENT = 0x62
};

/* The bytes of the fields + 1, from event FIRST on; 0: no such event. */
static const uint8_t sizes[] = {
    25, 25, 26, 25, 25, 25, 25, 25, 25, 33, 25, 1,  1,  1,  1,  0,  /* 0x10: threads, interrupts */
    0,  9,  5,  5,  9,  9,  13, 5,  9,  9,  9,  13, 5,  5,  5,  13, /* 0x20: semaphores, mutexes */
    5,  5,  5,  9,  25, 25, 17, 5,  9,  9,  9,  57, 9,  55, 9,  9,  /* 0x30: timers, sockets */
    9,  5,  61, 63, 9,  63, 9,  21, 59, 17, 59, 13, 9,  9,  9,  13, /* 0x40 */
    7,  13, 13, 25, 21, 9,  5,  59, 5,  59, 17, 13, 17, 17, 17, 17, /* 0x50: the network */
    25, 25, 29, 13, 13, 13, 13, 17, 9,  9,  13, 9,  9,  13, 9,  9,  /* 0x60: pins */
    9,  9,  9,  9,  9};

struct zephyr {
    const uint8_t *bytes;
    size_t length, at;
    struct played *played;
    struct import_result *result;
    uint64_t time_ns;
    uint32_t last; /* 32 bits of it */
    bool any;
    uint32_t thread, interrupt, idle; /* rows; the thread that is switched in */
    uint32_t nested;
    bool in, waits; /* a thread is; it waits from the next switch on */
};

struct event {
    uint8_t id;
    const uint8_t *fields;
};

static uint32_t word(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t size_of(uint8_t id) {
    return id >= FIRST && id - FIRST < sizeof sizes ? sizes[id - FIRST] : 0;
}

/* False at the end, or where it cannot go on. */
static bool next(struct zephyr *z, struct event *event) {
    if (z->at == z->length || z->length - z->at < HEAD_BYTES) {
        z->result->cut = z->at < z->length;
        z->result->at = z->length;
        return false;
    }
    const uint8_t *head = z->bytes + z->at;
    const uint32_t size = size_of(head[4]);
    if (size == 0) {
        z->result->why =
            "no event of Zephyr's CTF tracing has this number; of several cores it is not read";
        z->result->at = z->at + 4;
        return false;
    }
    if (z->length - z->at - HEAD_BYTES < size - 1) {
        z->result->cut = true;
        z->result->at = z->length;
        return false;
    }
    const uint32_t now = word(head);
    z->time_ns += z->any ? now - z->last : now;
    z->last = now;
    z->any = true;
    *event = (struct event){head[4], head + HEAD_BYTES};
    z->at += HEAD_BYTES + size - 1;
    return true;
}

/* ---- meaning of events ---- */

static void copy_name(char name[NAME_BYTES + 1], const uint8_t *bytes) {
    size_t length = 0;
    while (length < NAME_BYTES && bytes[length] != 0) {
        name[length] = (char)bytes[length];
        length++;
    }
    name[length] = '\0';
}

static uint32_t thread_of(struct zephyr *z, const struct event *event) {
    const uint32_t before = z->played->row_count;
    const uint32_t row = played_row(z->played, event->fields, 4);
    char name[NAME_BYTES + 1], text[2 * NAME_BYTES];
    copy_name(name, event->fields + 4);
    if (z->played->row_count > before || event->id == NAME_SET) {
        (void)snprintf(text, sizeof text, "thread 0x%08x", (unsigned)word(event->fields));
        const bool named = name[0] != '\0' && strcmp(name, "unknown") != 0;
        played_name_row(z->played, row, named ? name : text);
    }
    return row;
}

static int64_t now_ns(const struct zephyr *z) { return (int64_t)z->time_ns; }

static void run(struct zephyr *z) {
    played_switch(z->played, z->nested > 0 ? z->interrupt : z->in ? z->thread : z->idle, now_ns(z));
}

static void switch_in(struct zephyr *z, uint32_t row) {
    if (z->waits && row != z->thread) {
        played_waits(z->played, z->thread, now_ns(z), KYMO_WHY_UNKNOWN);
    }
    z->waits = z->waits && row == z->thread;
    z->thread = row;
    z->in = true;
    z->nested = 0;
    run(z);
}

static void take_thread(struct zephyr *z, const struct event *event) {
    const uint32_t row = thread_of(z, event);
    switch (event->id) {
    case SWITCHED_IN:
        switch_in(z, row);
        break;
    case PENDING:
    case SUSPEND:
    case ABORT:
        z->waits = z->waits || (z->in && row == z->thread);
        break;
    case READY:
    case RESUME:
    case WAKEUP:
        z->waits = z->waits && row != z->thread;
        played_ready(z->played, row, now_ns(z));
        break;
    default:
        break; /* its name is known now */
    }
}

static void take_named(struct zephyr *z, const struct event *event) {
    char name[NAME_BYTES + 1], text[3 * NAME_BYTES];
    copy_name(name, event->fields);
    (void)snprintf(text, sizeof text, "%s %u %u", name, (unsigned)word(event->fields + NAME_BYTES),
                   (unsigned)word(event->fields + NAME_BYTES + 4));
    played_message(
        z->played,
        z->nested > 0 ? z->interrupt
        : z->in       ? z->thread
                      : z->idle,
        now_ns(z),
        played_site(z->played,
                    &(struct played_site){.kind = KYMO_SITE_MESSAGE, .name = "", .file = ""}),
        text);
}

static void take(struct zephyr *z, const struct event *event) {
    z->result->events++;
    if (event->id <= NAME_SET || event->id == WAKEUP) {
        take_thread(z, event);
    } else if (event->id == ISR_ENTER) {
        z->nested++;
        run(z);
    } else if (event->id == ISR_EXIT || event->id == ISR_EXIT_TO_SCHEDULER) {
        z->nested -= z->nested > 0;
        run(z);
    } else if (event->id == NAMED_EVENT) {
        take_named(z, event);
    } else if (event->id != IDLE && event->id != USER_MODE_ENTER) {
        z->result->events--;
        z->result->left_out++;
    }
}

static void read_zephyr(const struct import_file *file, struct played *played,
                        struct import_result *result) {
    struct zephyr z = {.bytes = (const uint8_t *)file->bytes,
                       .length = file->length,
                       .played = played,
                       .result = result};
    struct event event;
    z.interrupt = played_row(played, "interrupt", 9);
    z.idle = played_row(played, "no thread", 9);
    if (played->error) {
        return;
    }
    played_name_row(played, z.interrupt, "interrupt");
    played_kind(played, z.interrupt, KYMO_CONTEXT_INTERRUPT);
    played_name_row(played, z.idle, "no thread");
    played_kind(played, z.idle, KYMO_CONTEXT_IDLE);
    while (!played->error && next(&z, &event)) {
        take(&z, &event);
    }
    (void)snprintf(result->left_out_text, sizeof result->left_out_text, "objects, sockets, pins");
}

/* The format has no signature: true if the first events are known, and names of threads are text. */
static bool is_zephyr(const struct import_file *file) {
    struct import_result result = {0};
    struct zephyr z = {
        .bytes = (const uint8_t *)file->bytes, .length = file->length, .result = &result};
    struct event event;
    uint32_t seen = 0;
    for (bool good = true; seen < LOOKED_AT && good && next(&z, &event); seen++) {
        const bool named = event.id <= NAME_SET;
        for (uint32_t i = 0; named && i < NAME_BYTES && event.fields[4 + i] != 0; i++) {
            good = good && isprint(event.fields[4 + i]);
        }
        if (!good) {
            return false;
        }
    }
    return seen >= 4 && !result.why;
}

const struct import_format import_zephyr = {.name = "zephyr",
                                            .help =
                                                "the stream of Zephyr's CTF tracing, of one core",
                                            .is_it = is_zephyr,
                                            .read = read_zephyr};
