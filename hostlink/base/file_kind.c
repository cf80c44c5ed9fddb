/* SPDX-License-Identifier: MIT */
#include "base/file_kind.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "platform/file.h"

#define PACKED "is a compressed file: unpack it first"
#define PCAP                                                                                       \
    "is a network capture (pcap), which hostlink does not read: capture from the board itself, "   \
    "as "                                                                                          \
    "tcp:HOST"

/* Less may be a piece of a capture file, whose first bytes are letters. */
#define TEXT_BYTES_MIN 16u

/* e_type of an ELF core file (ELF specification, "ELF Header"). */
#define ELF_TYPE_AT 16u
#define ELF_TYPE_CORE 4u

static const struct kind {
    const char *magic;
    size_t length;
    const char *why;
} kinds[] = {
    {"\x7f"
     "ELF",
     4,
     "is an ELF file, a program and no trace: give it as --elf IMAGE, beside the board's port or "
     "a capture file (.kymo)"},
    {"UF2\n", 4,
     "is a UF2 file, a program and no trace: give the board's port or a capture file "
     "(.kymo)"},
    /* https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-03.html, pcapng: its section header block */
    {"\xd4\xc3\xb2\xa1", 4, PCAP},
    {"\xa1\xb2\xc3\xd4", 4, PCAP},
    {"\x4d\x3c\xb2\xa1", 4, PCAP},
    {"\xa1\xb2\x3c\x4d", 4, PCAP},
    {"\x0a\x0d\x0d\x0a", 4, PCAP},
    {"\x1f\x8b", 2, PACKED},         /* gzip, RFC 1952 */
    {"\x28\xb5\x2f\xfd", 4, PACKED}, /* Zstandard, RFC 8878 */
    {"\xfd"
     "7zXZ",
     5, PACKED},               /* xz */
    {"PK\x03\x04", 4, PACKED}, /* zip */
};

/* A packet ends with a zero byte, and text has none. */
static bool is_text(const uint8_t *head, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool control = head[i] < 0x20 || head[i] == 0x7f;
        if (control && head[i] != '\n' && head[i] != '\r' && head[i] != '\t' && head[i] != '\f' &&
            head[i] != 0x1b) {
            return false;
        }
    }
    return length >= TEXT_BYTES_MIN;
}

const char *file_kind_why(const uint8_t *head, size_t length) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *kind = &kinds[i];
        if (length >= kind->length && memcmp(head, kind->magic, kind->length) == 0) {
            bool core = i == 0 && length > ELF_TYPE_AT && head[ELF_TYPE_AT] == ELF_TYPE_CORE;
            return core ? "is a core file: read it by 'hostlink dump --elf IMAGE'" : kind->why;
        }
    }
    return is_text(head, length) ? "is a text file, without a packet of a board: give the board's "
                                   "port or a capture file (.kymo)"
                                 : NULL;
}

int file_kind_look(int fd, const char **why) {
    static uint8_t head[FILE_KIND_HEAD_BYTES];
    int64_t at = sys_seek(fd, 0, SEEK_CUR);
    ssize_t length = at < 0 ? -1 : sys_read_at(fd, head, sizeof head, at);
    *why = length > 0 ? file_kind_why(head, (size_t)length) : NULL;
    return length == 0 ? -ENODATA : *why ? -EINVAL : 0;
}
