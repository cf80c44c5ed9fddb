/* SPDX-License-Identifier: MIT */
/* Files and descriptors of this system. A descriptor is a small number, whatever the system has; all kinds are closed
 * by sys_close() and waited for by sys_poll(). Paths are UTF-8. Unless said otherwise a call returns -1 with errno set
 * if it fails, and is repeated if a signal interrupts it. */
#ifndef HOSTLINK_PLATFORM_FILE_H
#define HOSTLINK_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h> /* SEEK_SET */
#include <sys/types.h>

#define SYS_PATH_BYTES 4096u

enum { SYS_STDIN, SYS_STDOUT, SYS_STDERR };

/* Flags for opening a file. Children do not get the descriptor, and a terminal does not become the program's own. */
enum {
    SYS_READ = 1,
    SYS_WRITE = 2,
    SYS_APPEND = 4,
    SYS_MAKE = 8, /* if it is not there */
    SYS_NEW = 16, /* only if it is not there, no link is followed */
    SYS_NO_WAIT = 32,
    SYS_NO_LINK = 64
};
int sys_open(const char *path, unsigned how);
int sys_close(int fd);
/* The number of bytes, 0 at the end. Of a descriptor that never waits: EAGAIN, nothing is there now. */
ssize_t sys_read(int fd, void *bytes, size_t size);
ssize_t sys_write(int fd, const void *bytes, size_t length);
/* From a place in a file; sys_read() goes on where it was. */
ssize_t sys_read_at(int fd, void *bytes, size_t size, int64_t at);
int64_t sys_seek(int fd, int64_t offset, int whence);
int sys_truncate(int fd, int64_t bytes);
/* Writes to the disk. */
int sys_sync(int fd);
int sys_duplicate(int fd);
bool sys_can_read_back(int fd);

enum sys_type { SYS_REGULAR, SYS_FOLDER, SYS_CHARACTERS, SYS_BLOCKS, SYS_SOCKET, SYS_OTHER };

struct sys_status {
    enum sys_type type;
    uint64_t bytes;
    uint64_t device, node; /* together they name it */
    int64_t changed_s;     /* Unix time */
    bool is_shared;        /* other users may read it */
};
int sys_status(int fd, struct sys_status *status);
int sys_status_of(const char *path, struct sys_status *status);
bool sys_is_same(const struct sys_status *a, const struct sys_status *b);
/* "path" is a regular file. */
bool sys_is_regular(const char *path);

bool sys_exists(const char *path);
int sys_check_writable(const char *path);
/* Files can be made in it. */
int sys_check_folder(const char *path);

int sys_make_folder(const char *path);
int sys_remove(const char *path);
int sys_remove_folder(const char *path);
/* "to" is either file, never missing. */
int sys_replace(const char *from, const char *to);
/* Absolute and without links; "real" has SYS_PATH_BYTES. NULL: no such file. */
char *sys_real_path(const char *path, char *real);
/* The part after the last separator of folders. */
const char *sys_last_part(const char *path);

/* Locks until the descriptor is closed. Never waits: EAGAIN, another program has locked it. */
int sys_lock(int fd, bool shared);

/* A file in the folder for temporary files ($TMPDIR, or the system's) that is gone when it is closed. */
int sys_open_temporary(void);
/* A new folder of this user alone. */
int sys_make_temporary(char *path, size_t size);

/* Numbers this process. */
uint32_t sys_process_number(void);

#endif
