/* SPDX-License-Identifier: MIT */
#include "cli/keep_symbols.h"

#include <errno.h>
#include <string.h>

#include "base/file_use.h"
#include "base/say.h"
#include "base/temporary.h"
#include "model/code_kept.h"
#include "platform/file.h"
#include "wire/unpack.h"

void keep_symbols_look_up(const struct event *event) {
    for (uint32_t i = 0; event->stack != NULL && i < event->stack->count; i++) {
        (void)symbols_find(event->stack->symbols, event->stack->address[i]);
    }
}

/* A piece of a packet may be at the end: a zero byte keeps it apart. A write that fails leaves a piece too, which
 * every reader passes over. */
static int write_packets(int fd, const struct code_table *table) {
    static struct compose packet;
    static uint8_t framed[UNPACK_CHUNK_BYTES];
    int error = 0;
    framed[0] = 0;
    for (uint32_t next = 0; error == 0 && code_kept_write(&packet, table, &next);) {
        const size_t length = packet_encode(framed + 1, sizeof framed - 1, packet.bytes, packet.at);
        error = temporary_write(fd, framed, length + 1);
    }
    return error;
}

static void say_error(const char *path, int error) {
    if (error == -EBUSY) {
        say("%s: " FILE_BUSY_TEXT, path);
    } else if (error == -ESTALE) {
        say("%s: another program replaced it while it was read, so no symbols are added; try again",
            path);
    } else if (error != 0) {
        say("%s: the symbols of its call stacks cannot be added: %s", path, strerror(-error));
    }
}

int keep_symbols_append(const char *path, const struct sys_status *seen,
                        const struct code_table *table) {
    struct sys_status status;
    const int fd = sys_open(path, SYS_WRITE | SYS_APPEND);
    int error = fd < 0 ? -errno : file_claim(fd);
    if (error == 0 && (sys_status(fd, &status) != 0 || status.type != SYS_REGULAR)) {
        error = -EINVAL;
    }
    if (error == 0 && seen && !sys_is_same(seen, &status)) {
        error = -ESTALE;
    }
    error = error != 0 ? error : write_packets(fd, table);
    if (fd >= 0 && sys_close(fd) != 0 && error == 0) {
        error = -errno;
    }
    say_error(path, error);
    return error;
}

int keep_symbols_write(int fd, const char *name, const struct code_table *table) {
    const int error = sys_seek(fd, 0, SEEK_END) < 0 ? -errno : write_packets(fd, table);
    say_error(name, error);
    return error;
}
