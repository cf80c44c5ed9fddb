/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clean.h"
#include "dump_pair.h"
#include "fuzz.h"
#include "model/code_kept.h"
#include "parts.h"
#include "symbol/symbolizer.h"
#include "wire/fields.h"

#define FLASH 0x08000000u
#define PAIR_BYTES 8192u
#define QUESTIONS 12u
#define ANSWERS_MAX 16384u

/* The same functions in either, of 64 and of 32 bits. */
static const uint8_t *elf_file(uint32_t which, size_t *length) {
    static uint8_t pair[2][PAIR_BYTES];
    static size_t elf_length[2];
    if (elf_length[which] == 0) {
        (void)dump_pair_make(which, pair[which], PAIR_BYTES, &elf_length[which]);
    }
    *length = elf_length[which];
    return pair[which];
}

/* ---- a program for symbols that says anything ---- */

struct said {
    const uint8_t *bytes;
    size_t length;
    int fd; /* its end, which takes questions as long as it is open */
};

/* All that it ever says is there when it starts. */
static pid_t start(const char *const *argv, int fd, int life);

static struct said said;
static const struct tool_host host = {.start = start};

static pid_t start(const char *const *argv, int fd, int life) {
    (void)argv;
    (void)life;
    if (said.fd >= 0) {
        return -EAGAIN;
    }
    said.fd = dup(fd);
    const ssize_t sent = send(said.fd, said.bytes, said.length, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(said.fd, SHUT_WR);
    if (sent != (ssize_t)said.length) {
        fuzz_wrong("the answers do not fit a socket");
    }
    return 0;
}

static void warn(void *context, const char *text) {
    (void)context;
    must_be_clean(text, "a warning is no text");
}

static void check_place(const struct code_place *place) {
    if (place != NULL && (place->count == 0 || place->count > CODE_LINES_MAX)) {
        fuzz_wrong("so many functions are at no place");
    }
    for (uint32_t i = 0; place != NULL && i < place->count; i++) {
        must_be_clean(place->lines[i].function, "a function's name is no text");
        must_be_clean(place->lines[i].file, "a file's name is no text");
    }
}

static void ask(struct symbolizer *s, uint32_t question) {
    const uint64_t address = FLASH + question % 512u;
    if (question >> 15 != 0) {
        while (!symbolizer_is_ready(s, address)) {}
    }
    if ((question & 0x4000u) != 0) {
        check_place(symbolizer_glance(s, address));
    }
    const struct code_place *place = symbolizer_find(s, address);
    check_place(place);
    if (place != symbolizer_find(s, address)) {
        fuzz_wrong("an address is asked for twice");
    }
    if (place != NULL && place->start != 0) {
        (void)symbolizer_code(s, place->start, place->bytes);
    }
}

static void run_answers(struct reader *r) {
    const uint8_t flags = read_u8(r);
    uint32_t questions[QUESTIONS];
    struct elf elf;
    size_t length = 0;
    const uint8_t *bytes = elf_file(flags & 1u, &length);
    if (elf_open(&elf, bytes, length) != 0) {
        fuzz_wrong("a correct ELF file is none");
    }
    struct symbolizer s = {.elf = &elf,
                           .elf_path = "a.elf",
                           .program = (flags & 2u) != 0 ? "addr2line" : NULL,
                           .host = &host,
                           .choice = "--symbolizer",
                           .warn = warn};
    for (size_t i = 0; i < QUESTIONS; i++) {
        questions[i] = read_u8(r);
        questions[i] |= (uint32_t)read_u8(r) << 8;
    }
    const size_t left = r->length > r->at ? r->length - r->at : 0;
    said = (struct said){r->bytes + r->at, left < ANSWERS_MAX ? left : ANSWERS_MAX, -1};
    for (size_t i = 0; i < QUESTIONS; i++) {
        if (i == QUESTIONS / 2 && (flags & 4u) != 0) {
            symbolizer_move(&s, 0x100);
        }
        ask(&s, questions[i]);
    }
    symbolizer_close(&s);
    if (said.fd >= 0) {
        (void)close(said.fd);
    }
}

static size_t answer(char *out, uint64_t address, uint32_t *random) {
    static const char *const places[] = {"main\n/src/main.c:12\n",
                                         "??\n??:0\n",
                                         "??\n??:?\n",
                                         "a<b, c>::d(int)\nb.cpp:7 (discriminator 3)\n",
                                         "kymo_zone_begin\n/x/kymo/kymo.h:3\nmain\nmain.c:99\n",
                                         "\xff\x1b[2J\n\x07:4294967296\n",
                                         "0x\n0x:0x\n"};
    size_t at = (size_t)sprintf(out, "0x%08llx\n", (unsigned long long)address);
    for (uint32_t i = fuzz_next(random) % 16u == 0 ? 40 : 1 + fuzz_next(random) % 3u; i > 0; i--) {
        at += (size_t)sprintf(out + at, "%s", places[fuzz_next(random) % 7u]);
    }
    return at + (size_t)sprintf(out + at, "0x%08x\n??\n??:0\n", address == 0 ? 1u : 0u);
}

/* The first question is about the first function of the file. */
static size_t seed_answers(uint32_t random, uint8_t *out, size_t size) {
    char text[4096];
    const uint8_t flags = (uint8_t)(fuzz_next(&random) % 8u);
    size_t at = put_little(out, 0, flags, 1);
    size_t end = at + 2 * QUESTIONS;
    size_t length = answer(text, dump_pair_function(0), &random);
    for (uint32_t i = 0; i <= QUESTIONS; i++) {
        if (end + length > size) {
            fuzz_wrong("no room for correct answers");
        }
        memcpy(out + end, text, length);
        end += length;
        if (i < QUESTIONS) {
            const uint32_t question = fuzz_next(&random) & 0xffffu;
            const uint64_t bias = i >= QUESTIONS / 2 && (flags & 4u) != 0 ? 0x100 : 0;
            at = put_little(out, at, question, 2);
            length = answer(text, FLASH + question % 512u - 1 - bias, &random);
        }
    }
    return end;
}

const struct part part_answers = {run_answers, seed_answers};

/* ---- symbols in a capture ---- */

/* Everything fits a packet alone up to this length, and is cut above it. */
#define WHOLE_BYTES (3000u / (2u * CODE_LINES_MAX))

static void check_text(const char *read, const char *again) {
    const size_t length = strlen(read);
    if (length <= WHOLE_BYTES ? strcmp(read, again) != 0 : strlen(again) > length) {
        fuzz_wrong("a name is another when it is read again");
    }
    must_be_clean(read, "a name of a capture is no text");
}

static void check_entry(const struct code_entry *read, struct code_table *table) {
    const struct code_entry *again = code_table_find(table, read->address);
    if (again == NULL || again->place->start != read->place->start ||
        again->place->bytes != read->place->bytes || again->place->count != read->place->count) {
        fuzz_wrong("a place is another when it is read again");
    }
    for (uint32_t i = 0; i < read->place->count; i++) {
        const struct code_line *a = &read->place->lines[i], *b = &again->place->lines[i];
        check_text(a->function, b->function);
        check_text(a->file, b->file);
        if (a->line != b->line) {
            fuzz_wrong("a line has another number when it is read again");
        }
    }
}

static void run_kept(struct reader *r) {
    struct code_table read = {.count = 0}, again = {.count = 0};
    struct compose packet;
    uint32_t next = 0, before = 0;
    code_kept_read(&read, r);
    while (code_kept_write(&packet, &read, &next)) {
        struct reader written = packet_fields(packet.bytes, packet.at);
        code_kept_read(&again, &written);
        if (next == before || written.bad || written.at != written.length) {
            fuzz_wrong("a packet of symbols is not read whole");
        }
        before = next;
    }
    for (uint32_t i = 0; i < read.count; i++) {
        check_entry(&read.entries[i], &again);
    }
    if (again.count != read.count) {
        fuzz_wrong("a place was not there before");
    }
    code_table_free(&read);
    code_table_free(&again);
}

static size_t put_text(uint8_t *out, size_t at, uint32_t *random) {
    static const char *const texts[] = {"main",          "",        "a::b<c>(d)", "/src/x.c",
                                        "\xe2\x82\xac(", "\xff\x1b"};
    const char *text = texts[fuzz_next(random) % 6u];
    const size_t times = fuzz_next(random) % 20u == 0 ? 1 + fuzz_next(random) % 200u : 1;
    at = put_varint(out, at, strlen(text) * times);
    for (size_t i = 0; i < times; i++) {
        memcpy(out + at, text, strlen(text));
        at += strlen(text);
    }
    return at;
}

static size_t seed_kept(uint32_t random, uint8_t *out, size_t size) {
    size_t at = 0;
    (void)size;
    for (uint32_t entry = 0; entry < 6u; entry++) {
        const uint32_t count =
            fuzz_next(&random) % 7u == 0 ? CODE_LINES_MAX : fuzz_next(&random) % 4u;
        at = put_varint(out, at, fuzz_next(&random) % 64u);
        at = put_varint(out, at, (uint64_t)fuzz_next(&random) << (fuzz_next(&random) % 40u));
        at = put_varint(out, at, fuzz_next(&random));
        at = put_varint(out, at, count);
        for (uint32_t i = 0; i < count && at < 16384; i++) {
            at = put_text(out, at, &random);
            at = put_text(out, at, &random);
            at = put_varint(out, at, (uint64_t)fuzz_next(&random) << (fuzz_next(&random) % 12u));
        }
    }
    return at;
}

const struct part part_kept = {run_kept, seed_kept};
