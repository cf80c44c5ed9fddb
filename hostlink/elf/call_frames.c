/* SPDX-License-Identifier: MIT */
/* "DWARF Debugging Information Format", version 5, 6.4 and 7.24; "Linux Standard Base Core Specification" 5.0, 10.6
 * ("Exception Frames"). Numbers of registers: the supplements of each machine's ABI. */
#include "elf/call_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/grow.h"

enum { EM_386 = 3, EM_X86_64 = 62, EM_AARCH64 = 183, EM_RISCV = 243 };

struct machine {
    uint16_t number;
    bool has_link; /* a call leaves its return address in a register, and not on the stack */
    uint32_t stack, frame; /* pointers */
};
static const struct machine machines[] = {{EM_386, false, 4, 5},
                                          {EM_X86_64, false, 7, 6},
                                          {EM_AARCH64, true, 31, 29},
                                          {EM_RISCV, true, 2, 8}};

static const struct machine *machine_of(const struct elf *elf) {
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (machines[i].number == elf->machine) {
            return &machines[i];
        }
    }
    return NULL;
}

/* ---- bytes of a table ---- */

/* A read beyond the end gives 0 and leaves no bytes to read. */
struct bytes {
    const uint8_t *at, *end;
    size_t address_bytes;
    bool is_over; /* read beyond the end */
};

static size_t left(const struct bytes *b) { return (size_t)(b->end - b->at); }

static const uint8_t *take(struct bytes *b, uint64_t count) {
    static const uint8_t nothing[8];
    if (count > left(b)) {
        b->at = b->end;
        b->is_over = true;
        return nothing;
    }
    b->at += count;
    return b->at - count;
}

/* 1, 2, 4 or 8 of them. */
static uint64_t number(struct bytes *b, size_t count) {
    const uint8_t *at = take(b, count);
    return count == 1 ? at[0] : count == 2 ? bytes_u16(at) : bytes_address(at, count);
}

static uint64_t leb(struct bytes *b, bool is_signed) {
    uint64_t value = 0, byte = 0x80;
    uint32_t shift = 0;
    for (; (byte & 0x80u) != 0 && !b->is_over; shift += 7) {
        byte = number(b, 1);
        value |= shift < 64 ? (byte & 0x7fu) << shift : 0;
    }
    return is_signed && shift < 64 && (byte & 0x40u) != 0 ? value | ~UINT64_C(0) << shift : value;
}

/* DW_EH_PE_... */
enum { POINTER_OMITTED = 0xff, POINTER_RELATIVE = 0x10 };

/* "here" is the address of the pointer itself. False: an encoding that is not supported. */
static bool pointer(struct bytes *b, uint32_t encoding, uint64_t here, uint64_t *value) {
    static const uint8_t sizes[8] = {0, 0, 2, 4, 8, 0, 0, 0};
    const uint32_t form = encoding & 7u;
    const size_t size = form == 0 ? b->address_bytes : sizes[form];
    if (form == 1) {
        *value = leb(b, (encoding & 8u) != 0);
    } else {
        *value = size != 0 ? number(b, size) : 0;
        const uint64_t sign = size != 0 ? UINT64_C(1) << (8 * size - 1) : 0;
        *value = (encoding & 8u) != 0 ? (*value ^ sign) - sign : *value;
    }
    *value += (encoding & 0x70u) == POINTER_RELATIVE ? here : 0;
    *value &= b->address_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    return (size != 0 || form == 1) && ((encoding & 0xf0u) & ~(uint32_t)POINTER_RELATIVE) == 0;
}

/* ---- the list of functions ---- */

struct table {
    struct call_frames *frames;
    struct elf_area area;
    bool is_eh;
    uint32_t capacity;
};

static struct bytes bytes_from(const struct table *t, uint64_t offset) {
    const uint64_t at = offset < t->area.bytes ? offset : t->area.bytes;
    return (struct bytes){.at = t->area.content + at,
                          .end = t->area.content + t->area.bytes,
                          .address_bytes = t->frames->elf->address_bytes};
}

static uint64_t offset_in(const struct table *t, const uint8_t *at) {
    return (uint64_t)(at - t->area.content);
}

/* One entry: what it begins with, its length, is taken. False: there is no more, or of a kind for 4 GiB and beyond. */
static bool entry(struct bytes *b) {
    const uint64_t length = number(b, 4);
    if (length == 0 || length > left(b)) {
        return false;
    }
    b->end = b->at + length;
    return true;
}

/* An augmentation is read only for the encoding of pointers. False: it has an unknown letter. */
static bool augmentation(struct bytes *b, const char *text, uint32_t *encoding) {
    uint64_t skipped;
    if (*text == '\0') {
        return true;
    }
    if (*text++ != 'z') {
        return false;
    }
    const uint64_t length = leb(b, false);
    struct bytes data = *b;
    (void)take(b, length);
    data.end = b->at;
    for (; *text != '\0' && !data.is_over; text++) {
        if (*text == 'R') {
            *encoding = (uint32_t)number(&data, 1);
        } else if (*text == 'P') {
            (void)pointer(&data, (uint32_t)number(&data, 1) & ~(uint32_t)POINTER_RELATIVE, 0,
                          &skipped);
        } else if (*text == 'L') {
            (void)number(&data, 1);
        } else if (*text != 'S' && *text != 'B') {
            return false;
        }
    }
    return !data.is_over;
}

/* Reads a CIE, the part that functions share, at an offset. */
static bool read_common(const struct table *t, uint64_t offset, struct call_frame *frame,
                        uint32_t *encoding, bool *is_augmented) {
    struct bytes b = bytes_from(t, offset);
    if (!entry(&b) || number(&b, 4) != (t->is_eh ? 0 : UINT32_MAX)) {
        return false;
    }
    const uint64_t version = number(&b, 1);
    const uint8_t *end = memchr(b.at, 0, left(&b));
    const char *text = (const char *)b.at;
    if (end == NULL || version == 0 || version > 4) {
        return false;
    }
    b.at = end + 1;
    if (version == 4 && (number(&b, 1) != b.address_bytes || number(&b, 1) != 0)) {
        return false;
    }
    frame->code_unit = (uint32_t)leb(&b, false);
    frame->data_unit = (int32_t)leb(&b, true);
    frame->return_column = (uint32_t)(version == 1 ? number(&b, 1) : leb(&b, false));
    *encoding = 0;
    *is_augmented = text[0] != '\0';
    if (!augmentation(&b, text, encoding)) {
        return false;
    }
    frame->common = b.at;
    frame->common_bytes = (uint32_t)left(&b);
    return !b.is_over;
}

/* Reads an FDE, one function, from after its length. A function that the linker left out is at 0. */
static bool read_own(const struct table *t, struct bytes *b, struct call_frame *frame) {
    const uint64_t at = offset_in(t, b->at), back = number(b, 4);
    uint32_t encoding = 0;
    bool is_augmented = false;
    uint64_t bytes = 0;
    if (back == (t->is_eh ? 0 : UINT32_MAX) || (t->is_eh && back > at) ||
        !read_common(t, t->is_eh ? at - back : back, frame, &encoding, &is_augmented)) {
        return false;
    }
    const uint64_t here = t->area.address + offset_in(t, b->at);
    if (!pointer(b, encoding, here, &frame->start) || !pointer(b, encoding & 0xfu, 0, &bytes)) {
        return false;
    }
    if (is_augmented) {
        (void)take(b, leb(b, false));
    }
    frame->end = frame->start + bytes;
    frame->own = b->at;
    frame->own_bytes = (uint32_t)left(b);
    return !b->is_over && frame->start != 0 && frame->end > frame->start;
}

static int add(struct table *t, const struct call_frame *frame) {
    struct call_frames *frames = t->frames;
    if (!grow(&frames->list, &t->capacity, frames->count, sizeof *frames->list)) {
        return -ENOMEM;
    }
    frames->list[frames->count++] = *frame;
    return 0;
}

static int read_table(struct table *t, const char *name, bool is_eh) {
    int error = 0;
    if (!elf_section(t->frames->elf, name, &t->area)) {
        return 0;
    }
    t->is_eh = is_eh;
    struct bytes b = bytes_from(t, 0);
    while (error == 0 && left(&b) > 4) {
        struct bytes one = b;
        struct call_frame frame;
        if (!entry(&one)) {
            break;
        }
        b.at = one.end;
        error = read_own(t, &one, &frame) ? add(t, &frame) : 0;
    }
    return error;
}

static int by_start(const void *left_one, const void *right_one) {
    const struct call_frame *a = left_one, *b = right_one;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : 0;
}

int call_frames_open(struct call_frames *frames, const struct elf *elf) {
    struct table table = {.frames = frames};
    *frames = (struct call_frames){.elf = elf};
    if (machine_of(elf) == NULL) {
        return 0;
    }
    int error = read_table(&table, ".eh_frame", true);
    error = error != 0 ? error : read_table(&table, ".debug_frame", false);
    if (error != 0) {
        call_frames_free(frames);
        return error;
    }
    if (frames->count != 0) {
        qsort(frames->list, frames->count, sizeof *frames->list, by_start);
    }
    return 0;
}

void call_frames_free(struct call_frames *frames) {
    free(frames->list);
    *frames = (struct call_frames){0};
}

static const struct call_frame *find(const struct call_frames *frames, uint64_t address) {
    size_t low = 0, high = frames->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (frames->list[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 && address < frames->list[low - 1].end ? &frames->list[low - 1] : NULL;
}

/* ---- the row of one instruction ---- */

enum place { IN_REGISTER, ON_STACK, ELSEWHERE };

/* The frame's address is "base" and "offset"; where the return address is. */
struct row {
    uint64_t base, offset; /* UINT64_MAX: by a computation */
    enum place place;
};

#define KEPT_ROWS 16u
struct reader {
    const struct call_frame *frame;
    const struct machine *machine;
    uint64_t address; /* that is asked for */
    uint64_t at;      /* of the row that is made */
    struct row row, first, before;
    struct row kept[KEPT_ROWS];
    uint32_t depth;
    bool is_found;
    struct row found, before_found;
    uint64_t found_at;
    bool had_frame, gets_frame; /* an earlier row, a later row has the frame pointer as base */
};

static void find_row(struct reader *r) {
    r->is_found = true;
    r->found = r->row;
    r->before_found = r->before;
    r->found_at = r->at;
}

/* The row holds until here. */
static void advance(struct reader *r, uint64_t units) {
    const uint64_t bytes = units * r->frame->code_unit;
    if (bytes == 0) {
        return;
    }
    if (r->row.base == r->machine->frame) {
        r->had_frame = r->had_frame || !r->is_found;
        r->gets_frame = r->is_found;
    }
    if (!r->is_found && r->address - r->at < bytes) {
        find_row(r);
    }
    r->before = r->row;
    r->at += bytes;
}

static void set_place(struct reader *r, uint64_t column, enum place place) {
    if (column == r->frame->return_column) {
        r->row.place = place;
    }
}

static void restore(struct reader *r, uint64_t column) { set_place(r, column, r->first.place); }

static void restore_row(struct reader *r) {
    if (r->depth != 0) {
        r->depth--;
        r->row = r->kept[r->depth < KEPT_ROWS ? r->depth : KEPT_ROWS - 1];
    }
}

static void keep_row(struct reader *r) {
    if (r->depth < KEPT_ROWS) {
        r->kept[r->depth] = r->row;
    }
    r->depth++;
}

static void set_frame(struct reader *r, uint64_t base, uint64_t offset) {
    r->row.base = base;
    r->row.offset = offset;
}

/* The operands of each: bytes, unsigned and signed LEB128, an address, a block. */
static const char *const operands[0x30] = {
    [0x01] = "a",  [0x02] = "1",  [0x03] = "2",  [0x04] = "4",  [0x05] = "uu", [0x06] = "u",
    [0x07] = "u",  [0x08] = "u",  [0x09] = "uu", [0x0c] = "uu", [0x0d] = "u",  [0x0e] = "u",
    [0x0f] = "b",  [0x10] = "ub", [0x11] = "us", [0x12] = "us", [0x13] = "s",  [0x14] = "uu",
    [0x15] = "us", [0x16] = "ub", [0x2e] = "u",  [0x2f] = "uu",
};

static void read_operands(struct bytes *b, const char *kinds, uint64_t value[2]) {
    for (size_t i = 0; kinds != NULL && kinds[i] != '\0'; i++) {
        const char kind = kinds[i];
        if (kind == 'b') {
            (void)take(b, leb(b, false));
        } else if (kind == 'u' || kind == 's') {
            value[i] = leb(b, kind == 's');
        } else {
            value[i] = number(b, kind == 'a' ? b->address_bytes : (size_t)(kind - '0'));
        }
    }
}

/* DW_CFA_... False: one that is not known, with operands of any length. */
static bool obey(struct reader *r, struct bytes *b) {
    const uint32_t code = (uint32_t)number(b, 1), low = code & 0x3fu;
    uint64_t value[2] = {0, 0};
    if (code < 0x40u) {
        read_operands(b, code < sizeof operands / sizeof operands[0] ? operands[code] : NULL,
                      value);
    }
    switch (code < 0x40u ? code : code & 0xc0u) {
    case 0x40: /* advance_loc */
        advance(r, low);
        return true;
    case 0x80: /* offset */
        (void)leb(b, false);
        set_place(r, low, ON_STACK);
        return true;
    case 0xc0:
        restore(r, low);
        return true;
    case 0x00: /* nop */
    case 0x2d: /* GNU_window_save, on AArch64 negate_ra_state */
    case 0x2e: /* GNU_args_size */
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        advance(r, value[0]);
        return true;
    case 0x05: /* offset_extended, ..._sf, GNU_negative_offset_extended */
    case 0x11:
    case 0x2f:
        set_place(r, value[0], ON_STACK);
        return true;
    case 0x06: /* restore_extended */
        restore(r, value[0]);
        return true;
    case 0x08: /* same_value */
        set_place(r, value[0], IN_REGISTER);
        return true;
    case 0x07: /* undefined, register, expression, val_... */
    case 0x09:
    case 0x10:
    case 0x14:
    case 0x15:
    case 0x16:
        set_place(r, value[0], ELSEWHERE);
        return true;
    case 0x0a:
        keep_row(r);
        return true;
    case 0x0b:
        restore_row(r);
        return true;
    case 0x0c: /* def_cfa */
        set_frame(r, value[0], value[1]);
        return true;
    case 0x12:
        set_frame(r, value[0], value[1] * (uint64_t)(int64_t)r->frame->data_unit);
        return true;
    case 0x0d: /* def_cfa_register */
        set_frame(r, value[0], r->row.offset);
        return true;
    case 0x0e: /* def_cfa_offset */
        set_frame(r, r->row.base, value[0]);
        return true;
    case 0x13:
        set_frame(r, r->row.base, value[0] * (uint64_t)(int64_t)r->frame->data_unit);
        return true;
    case 0x0f: /* def_cfa_expression */
        set_frame(r, UINT64_MAX, 0);
        return true;
    default: /* set_loc, too, which no compiler writes */
        return false;
    }
}

static bool obey_all(struct reader *r, const uint8_t *at, uint32_t length) {
    struct bytes b = {.at = at, .end = at + length, .address_bytes = 8};
    bool is_known = true;
    while (is_known && left(&b) != 0) {
        is_known = obey(r, &b);
    }
    return is_known && !b.is_over;
}

/* The return address has just been stored, or is about to be with the frame pointer: the register still has it, as
 * before a function has its frame it calls nothing. A part of a function that begins with a frame is not that. */
static bool is_beginning(const struct reader *r) {
    const bool is_stored_now = r->found_at == r->address && r->before_found.place == IN_REGISTER;
    const bool has_no_frame_yet = r->first.place == IN_REGISTER && !r->had_frame && r->gets_frame &&
                                  r->found.base == r->machine->stack;
    return r->found.place == ON_STACK && (is_stored_now || has_no_frame_yet);
}

bool call_frames_is_frameless(const struct call_frames *frames, uint64_t address) {
    const struct call_frame *frame = find(frames, address);
    if (frame == NULL) {
        return false;
    }
    struct reader r = {.frame = frame,
                       .machine = machine_of(frames->elf),
                       .address = address,
                       .at = frame->start,
                       .row = {.place = IN_REGISTER}};
    if (!obey_all(&r, frame->common, frame->common_bytes)) {
        return false;
    }
    r.first = r.before = r.row;
    r.before.place = ELSEWHERE;
    r.is_found = false;
    r.at = frame->start;
    if (!obey_all(&r, frame->own, frame->own_bytes)) {
        return false;
    }
    advance(&r, UINT32_MAX);
    if (!r.is_found) {
        return false;
    }
    if (r.machine->has_link) {
        return r.found.place == IN_REGISTER || is_beginning(&r);
    }
    return r.found.base == r.machine->stack && r.found.offset == frames->elf->address_bytes;
}
