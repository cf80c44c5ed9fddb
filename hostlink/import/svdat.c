/* SPDX-License-Identifier: MIT */
/* SystemView's recordings (UM08027, "SystemView protocol"): lines that begin with a semicolon, and the target's
 * stream. Of one core. Marks are zones, printed lines messages, as they are before their arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

#define NEST_MAX 32u
#define TEXT_MAX 256u
#define NUMBERS_MAX 4u

/* Events without a length of their own are below this number. */
#define FIRST_WITH_LENGTH 24u
enum {
    NOP,
    OVERFLOW,
    ISR_ENTER,
    ISR_EXIT,
    TASK_START_EXEC,
    TASK_STOP_EXEC,
    TASK_START_READY,
    TASK_STOP_READY,
    TASK_CREATE,
    TASK_INFO,
    SYSDESC = 14,
    MARK_START = 15,
    MARK_STOP = 16,
    IDLE = 17,
    ISR_TO_SCHEDULER = 18,
    TIMER_ENTER = 19,
    TIMER_EXIT = 20,
    INIT = 24,
    PRINT = 26,
    TASK_TERMINATE = 29
};

/* The fields of each event: u, a number; s, a string. */
static const char *const fields_of[] = {"",    "u", "u", "",     "u",   "",   "u",    "uu", "u",
                                        "uus", "",  "",  "u",    "uu",  "s",  "u",    "u",  "",
                                        "",    "u", "",  "uuuu", "uus", "uu", "uuuu", "us", "suu"};
#define KNOWN (sizeof fields_of / sizeof *fields_of)

struct event {
    uint32_t id;
    uint64_t numbers[NUMBERS_MAX];
    char text[TEXT_MAX];
};

struct svdat {
    const uint8_t *bytes;
    size_t length, at;
    struct played *played; /* NULL: only the clock's rate is looked for */
    struct import_result *result;
    uint64_t hz, ticks;
    uint32_t task; /* a row: it runs below interrupts */
    bool waits;    /* it will */
    uint32_t nested[NEST_MAX];
    uint32_t depth;
    bool ended; /* in the middle of an event */
};

/* ---- the stream ---- */

static uint8_t take_byte(struct svdat *s) {
    if (s->at >= s->length) {
        s->ended = true;
        return 0;
    }
    return s->bytes[s->at++];
}

static uint64_t take_number(struct svdat *s) {
    uint64_t value = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        byte = take_byte(s);
        value |= shift < 63 ? (uint64_t)(byte & 0x7fu) << shift : 0;
        shift += 7;
    } while (byte >= 0x80 && shift < 70 && !s->ended);
    return value;
}

static void take_text(struct svdat *s, char text[TEXT_MAX]) {
    size_t length = take_byte(s), used = 0;
    if (length == 255) {
        length = take_byte(s);
        length |= (size_t)take_byte(s) << 8;
    }
    for (; length > 0 && !s->ended; length--) {
        const char c = (char)take_byte(s);
        if (used + 1 < TEXT_MAX && c != '\0') {
            text[used++] = c;
        }
    }
    text[used] = '\0';
}

static bool next_event(struct svdat *s, struct event *event) {
    *event = (struct event){.id = (uint32_t)take_number(s)};
    const bool has_length = event->id >= FIRST_WITH_LENGTH;
    const uint64_t length = has_length ? take_number(s) : 0;
    const size_t start = s->at;
    uint32_t numbers = 0;
    for (const char *of = event->id < KNOWN ? fields_of[event->id] : ""; *of != '\0'; of++) {
        if (*of == 's') {
            take_text(s, event->text);
        } else {
            event->numbers[numbers++] = take_number(s);
        }
    }
    if (has_length && !s->ended) {
        if (length > s->length - start) {
            s->ended = true;
        } else {
            s->at = start + (size_t)length;
        }
    }
    s->ticks += take_number(s);
    return !s->ended;
}

/* ---- meaning of events ---- */

static int64_t now_ns(const struct svdat *s) {
    return (int64_t)(s->ticks / s->hz * 1000000000u + s->ticks % s->hz * 1000000000u / s->hz);
}

static uint32_t row_of(struct svdat *s, char of, uint64_t id, enum kymo_context_kind kind) {
    char key[32];
    const uint32_t before = s->played->row_count;
    (void)snprintf(key, sizeof key, "%s %llu",
                   of == 'i'   ? "interrupt"
                   : of == 't' ? "task"
                               : "idle",
                   (unsigned long long)id);
    const uint32_t row = played_row(s->played, key, strlen(key));
    if (s->played->row_count > before) {
        played_name_row(s->played, row, of == 'd' ? "idle" : key);
        played_kind(s->played, row, kind);
    }
    return row;
}

/* True if an event other than a wake-up has named the task. The idle task only becomes ready: its runs are IDLE. */
static bool is_known_task(const struct svdat *s, uint64_t id) {
    char key[32];
    const int length = snprintf(key, sizeof key, "task %llu", (unsigned long long)id);
    return keytable_find(&s->played->row_keys, key, (size_t)length) >= 0;
}

static uint32_t task_of(struct svdat *s, uint64_t id) {
    return row_of(s, 't', id, KYMO_CONTEXT_TASK);
}

static uint32_t interrupt_of(struct svdat *s, uint64_t id) {
    return row_of(s, 'i', id, KYMO_CONTEXT_INTERRUPT);
}

static uint32_t runs(const struct svdat *s) {
    return s->depth > 0 ? s->nested[s->depth - 1] : s->task;
}

static void run(struct svdat *s) { played_switch(s->played, runs(s), now_ns(s)); }

static void start_task(struct svdat *s, uint32_t row) {
    if (s->waits && row != s->task) {
        played_waits(s->played, s->task, now_ns(s), KYMO_WHY_UNKNOWN);
    }
    s->waits = false;
    s->task = row;
    s->depth = 0;
    run(s);
}

static void leave(struct svdat *s) {
    if (s->depth > 0) {
        s->depth--;
        run(s);
    }
}

/* "N=name,D=device,I#15=SysTick": names of interrupts. */
static void describe(struct svdat *s, char *text) {
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(part, '=');
        if (equals && strncmp(part, "I#", 2) == 0) {
            played_name_row(s->played, interrupt_of(s, strtoull(part + 2, NULL, 10)), equals + 1);
        }
    }
}

static uint32_t site(struct svdat *s, enum kymo_site_kind kind, const char *word, uint64_t id) {
    char name[48];
    (void)snprintf(name, sizeof name, "%s %llu", word, (unsigned long long)id);
    return played_site(
        s->played,
        &(struct played_site){.kind = kind, .name = word[0] != '\0' ? name : "", .file = ""});
}

static void tell(struct svdat *s, const char *text) {
    played_message(s->played, runs(s), now_ns(s), site(s, KYMO_SITE_MESSAGE, "", 0), text);
}

static void take_task(struct svdat *s, struct event *event) {
    const uint64_t id = event->numbers[0];
    switch (event->id) {
    case TASK_START_EXEC:
        start_task(s, task_of(s, id));
        break;
    case TASK_STOP_EXEC:
    case IDLE:
        start_task(s, row_of(s, 'd', 0, KYMO_CONTEXT_IDLE));
        break;
    case TASK_START_READY:
        if (!is_known_task(s, id)) {
            break;
        }
        s->waits = s->waits && task_of(s, id) != s->task;
        played_ready(s->played, task_of(s, id), now_ns(s));
        break;
    case TASK_STOP_READY:
    case TASK_TERMINATE:
        s->waits = s->waits || task_of(s, id) == s->task;
        break;
    default: /* TASK_INFO */
        if (event->text[0] != '\0') {
            played_name_row(s->played, task_of(s, id), event->text);
        }
    }
}

static void take(struct svdat *s, struct event *event) {
    const uint64_t id = event->numbers[0];
    char text[48];
    switch (event->id) {
    case ISR_ENTER:
        if (s->depth < NEST_MAX) {
            s->nested[s->depth++] = interrupt_of(s, id);
            run(s);
        }
        break;
    case ISR_EXIT:
    case ISR_TO_SCHEDULER:
        leave(s);
        break;
    case TASK_START_EXEC:
    case TASK_STOP_EXEC:
    case TASK_START_READY:
    case TASK_STOP_READY:
    case TASK_TERMINATE:
    case TASK_INFO:
    case IDLE:
        take_task(s, event);
        break;
    case SYSDESC:
        describe(s, event->text);
        break;
    case MARK_START:
    case TIMER_ENTER:
        played_begin(s->played, runs(s), now_ns(s), PLAYED_OPEN,
                     site(s, KYMO_SITE_ZONE, event->id == MARK_START ? "mark" : "timer", id), NULL);
        break;
    case MARK_STOP:
    case TIMER_EXIT:
        played_end(s->played, runs(s), now_ns(s));
        break;
    case PRINT:
        tell(s, event->text);
        break;
    case OVERFLOW:
        (void)snprintf(text, sizeof text, "SystemView lost %llu events here",
                       (unsigned long long)id);
        tell(s, text);
        break;
    default:
        return;
    }
    s->result->events++;
}

/* Skips the lines of the head, and the zeros by which a host finds the start. */
static void skip_head(struct svdat *s) {
    while (s->at < s->length && s->bytes[s->at] == ';') {
        const uint8_t *newline = memchr(s->bytes + s->at, '\n', s->length - s->at);
        s->at = newline ? (size_t)(newline - s->bytes) + 1 : s->length;
    }
    while (s->at < s->length && s->bytes[s->at] == 0) {
        s->at++;
    }
}

static void read_svdat(const struct import_file *file, struct played *played,
                       struct import_result *result) {
    struct svdat start = {
        .bytes = (const uint8_t *)file->bytes, .length = file->length, .result = result};
    struct event event;
    skip_head(&start);
    struct svdat looks = start, s = start;
    while (s.hz == 0 && looks.at < looks.length && next_event(&looks, &event)) {
        s.hz = event.id == INIT ? event.numbers[0] : 0;
    }
    if (s.hz == 0) {
        result->why = "no INIT event, which says how fast the clock is";
        result->at = looks.at;
        return;
    }
    s.played = played;
    s.task = row_of(&s, 'd', 0, KYMO_CONTEXT_IDLE);
    while (s.at < s.length && !played->error && next_event(&s, &event)) {
        take(&s, &event);
    }
    result->cut = s.ended;
    result->at = s.length;
}

/* Some files have no lines before the zeros; the recording starts after the zeros. */
static bool starts_at_once(const struct import_file *file) {
    static const char zeros[10];
    struct svdat s = {.bytes = (const uint8_t *)file->bytes, .length = file->length};
    struct event event = {0};
    if (file->length <= sizeof zeros || memcmp(file->bytes, zeros, sizeof zeros) != 0) {
        return false;
    }
    skip_head(&s);
    for (unsigned i = 0; i < 4 && event.id != INIT && next_event(&s, &event); i++) {}
    return event.id == INIT && event.numbers[0] > 0;
}

static bool is_svdat(const struct import_file *file) {
    const size_t length = file->length < 512 ? file->length : 512;
    return starts_at_once(file) || (length > 0 && file->bytes[0] == ';' &&
                                    memmem(file->bytes, length, "SEGGER", 6) != NULL);
}

const struct import_format import_svdat = {.name = "svdat",
                                           .help = "SystemView's recordings, of one core",
                                           .is_it = is_svdat,
                                           .read = read_svdat};
