/* SPDX-License-Identifier: MIT */
/* Frame information: an ELF file around tables of any bytes, and questions about its addresses. */
#include <string.h>

#include "elf/call_frames.h"
#include "fuzz.h"
#include "parts.h"
#include "wire/compose.h"

#define FILE_BYTES 8192u
#define TABLE_ADDRESS 0x8000u
#define CODE_ADDRESS 0x1000u
#define ASKED_MAX 16u
#define NAMES "\0.eh_frame\0.debug_frame\0.names"
#define NAME_EH 1u
#define NAME_DEBUG 11u
#define NAME_NAMES 24u

/* 386, x86-64, AArch64, RISC-V, and one of which nothing is known */
static const uint16_t machines[] = {3, 62, 183, 243, 40};

/* Whether it has 64 bits, which machine, which table. */
static bool is_wide(uint8_t how) { return how % 2u != 0; }
static bool is_eh(uint8_t how) { return how / 2u % 2u != 0; }

static size_t put_section(uint8_t *out, size_t at, bool wide, uint32_t name, uint32_t type,
                          const uint64_t place[3]) {
    const unsigned word = wide ? 8 : 4;
    at = put_little(out, at, name, 4);
    at = put_little(out, at, type, 4);
    at = put_little(out, at, 0, word);
    for (unsigned i = 0; i < 3; i++) { /* address, offset, bytes */
        at = put_little(out, at, place[i], word);
    }
    at = put_little(out, at, 0, 8); /* link and info */
    at = put_little(out, at, 1, word);
    return put_little(out, at, 0, word);
}

static size_t make_file(uint8_t *out, uint8_t how, const uint8_t *table, size_t length) {
    const bool wide = is_wide(how);
    const unsigned word = wide ? 8 : 4;
    const size_t header = wide ? 64 : 52, section = wide ? 64 : 40;
    const size_t names_at = header + length, sections_at = names_at + sizeof NAMES;
    static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 0, 1, 1};
    memset(out, 0, header);
    memcpy(out, ident, sizeof ident);
    out[4] = wide ? 2 : 1;
    size_t at = put_little(out, 16, 2, 2);
    at = put_little(out, at, machines[how / 4u % 5u], 2);
    at = put_little(out, at, 1, 4);
    at = put_little(out, at, CODE_ADDRESS, word);
    at = put_little(out, at, 0, word);
    at = put_little(out, at, sections_at, word);
    at = put_little(out, at, 0, 4);
    at = put_little(out, at, header, 2);
    at = put_little(out, at, 0, 4);
    at = put_little(out, at, section, 2);
    at = put_little(out, at, 3, 2);
    (void)put_little(out, at, 2, 2);
    memcpy(out + header, table, length);
    memcpy(out + names_at, NAMES, sizeof NAMES);
    at = put_section(out, sections_at, wide, 0, 0, (const uint64_t[3]){0});
    at = put_section(out, at, wide, is_eh(how) ? NAME_EH : NAME_DEBUG, 1,
                     (const uint64_t[3]){TABLE_ADDRESS, header, length});
    return put_section(out, at, wide, NAME_NAMES, 3,
                       (const uint64_t[3]){0, names_at, sizeof NAMES});
}

static void ask(const struct call_frames *frames, uint64_t address) {
    if (call_frames_is_frameless(frames, address) != call_frames_is_frameless(frames, address)) {
        fuzz_wrong("a function has a frame and has none");
    }
}

static void run_frames(struct reader *r) {
    static uint8_t file[FILE_BYTES];
    const uint8_t how = read_u8(r);
    const uint64_t address = read_varint(r);
    const size_t left = r->at < r->length ? r->length - r->at : 0;
    const size_t most = FILE_BYTES - 512u, length = left < most ? left : most;
    struct call_frames frames;
    struct elf elf;
    if (elf_open(&elf, file, make_file(file, how, r->bytes + r->length - left, length)) != 0) {
        fuzz_wrong("no ELF file");
    }
    (void)elf_is_code(&elf, address);
    (void)elf_lowest(&elf);
    if (!elf_has_section(&elf, is_eh(how) ? ".eh_frame" : ".debug_frame")) {
        fuzz_wrong("no section");
    }
    if (call_frames_open(&frames, &elf) != 0) {
        fuzz_wrong("memory");
    }
    ask(&frames, address);
    for (size_t i = 0; i < frames.count; i++) {
        const struct call_frame *frame = &frames.list[i];
        if (frame->end <= frame->start || (i != 0 && frame[-1].start > frame->start)) {
            fuzz_wrong("functions are not in order");
        }
        for (uint64_t step = 0; i < ASKED_MAX && step < 8; step++) {
            ask(&frames, frame->start + step * ((frame->end - frame->start) / 7u));
        }
    }
    call_frames_free(&frames);
}

/* ---- correct tables ---- */

/* The length of an entry, which is known at its end. */
static size_t end_entry(uint8_t *out, size_t from, size_t at) {
    (void)put_little(out, from, at - from - 4u, 4);
    return at;
}

static size_t put_pointer(uint8_t *out, size_t at, uint8_t encoding, bool wide, uint64_t value) {
    static const uint8_t sizes[8] = {0, 0, 2, 4, 8, 0, 0, 0};
    value -= (encoding & 0x70u) != 0 ? TABLE_ADDRESS + at : 0;
    return (encoding & 7u) == 1u ? put_varint(out, at, value & 0xffffffu)
                                 : put_little(out, at, value,
                                              sizes[encoding & 7u] != 0 ? sizes[encoding & 7u]
                                              : wide                    ? 8
                                                                        : 4);
}

static size_t put_common(uint8_t *out, uint8_t how, uint32_t *random, uint8_t encoding) {
    static const char *const augmentations[] = {"", "zR", "zPLR", "zRS", "zRB", "eh"};
    static const uint8_t return_columns[] = {8, 16, 30, 1, 14};
    const char *text = is_eh(how) ? augmentations[fuzz_next(random) % 6u] : "";
    size_t at = put_little(out, 4, is_eh(how) ? 0 : UINT32_MAX, 4);
    const uint8_t version = is_eh(how) ? 1 : (uint8_t)(fuzz_next(random) % 4u + 1u);
    out[at++] = version;
    memcpy(out + at, text, strlen(text) + 1);
    at += strlen(text) + 1;
    if (version == 4) {
        out[at++] = is_wide(how) ? 8 : 4;
        out[at++] = 0;
    }
    out[at++] = (uint8_t)(1u << fuzz_next(random) % 3u);
    out[at++] = 0x7c;
    out[at++] = return_columns[how / 4u % 5u];
    if (text[0] == 'z') {
        const size_t length_at = at++;
        for (const char *one = text + 1; *one != '\0'; one++) {
            if (*one == 'R') {
                out[at++] = encoding;
            } else if (*one == 'P') {
                out[at++] = 3;
                at = put_little(out, at, 0x1234, 4);
            } else if (*one == 'L') {
                out[at++] = 0xff;
            }
        }
        out[length_at] = (uint8_t)(at - length_at - 1u);
    }
    out[at++] = 0x0c; /* def_cfa */
    out[at++] = (uint8_t)(is_wide(how) ? 7 : 4);
    out[at++] = 8;
    return end_entry(out, 0, at);
}

/* Any instructions, most of them as compilers write them. */
static size_t put_rows(uint8_t *out, size_t at, uint32_t *random, uint32_t count) {
    static const uint8_t plain[] = {0x41, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06,
                                    0x41, 0x0c, 0x07, 0x08, 0xc6, 0x0a, 0x0b, 0x00};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t choice = fuzz_next(random) % 4u;
        if (choice == 0) {
            out[at++] = (uint8_t)(fuzz_next(random) % 0x30u);
            out[at++] = (uint8_t)(fuzz_next(random) % 32u);
            out[at++] = (uint8_t)(fuzz_next(random) % 16u);
        } else {
            memcpy(out + at, plain, sizeof plain);
            at += choice == 1 ? sizeof plain : 8u;
        }
    }
    return at;
}

static size_t seed_frames(uint32_t random, uint8_t *out, size_t size) {
    static const uint8_t encodings[] = {0, 0x1b, 0x0b, 0x03, 0x01, 0x0c, 0x1c, 0x02};
    static uint8_t table[2048];
    const uint8_t how = (uint8_t)fuzz_next(&random);
    const uint8_t encoding = is_eh(how) ? encodings[fuzz_next(&random) % 8u] : 0;
    size_t at = put_common(table, how, &random, encoding);
    const bool augmented = table[9] == 'z';
    for (uint32_t i = 0; i < 4; i++) {
        const size_t from = at;
        at = put_little(table, at + 4u, is_eh(how) ? at + 4u : 0, 4);
        at = put_pointer(table, at, augmented ? encoding : 0, is_wide(how), CODE_ADDRESS + i * 64u);
        at = put_pointer(table, at, augmented ? encoding & 0xfu : 0, is_wide(how), 60);
        if (augmented) {
            table[at++] = 0;
        }
        at = end_entry(table, from, put_rows(table, at, &random, 1u + fuzz_next(&random) % 6u));
    }
    size_t length = put_little(out, 0, how, 1);
    length = put_varint(out, length, CODE_ADDRESS + fuzz_next(&random) % 256u);
    at = at < size - length ? at : size - length;
    memcpy(out + length, table, at);
    return length + at;
}

const struct part part_frames = {run_frames, seed_frames};
