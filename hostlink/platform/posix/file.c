/* SPDX-License-Identifier: MIT */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(PATH_MAX <= SYS_PATH_BYTES, "realpath() fills PATH_MAX bytes");

/* ---- descriptors ---- */

int sys_open(const char *path, unsigned how) {
    const unsigned both = SYS_READ | SYS_WRITE;
    int flags = (how & both) == both ? O_RDWR : (how & SYS_WRITE) != 0 ? O_WRONLY : O_RDONLY;
    flags |= (how & SYS_APPEND) != 0 ? O_APPEND : 0;
    flags |= (how & SYS_MAKE) != 0 ? O_CREAT : 0;
    flags |= (how & SYS_NEW) != 0 ? O_CREAT | O_EXCL : 0;
    flags |= (how & SYS_NO_WAIT) != 0 ? O_NONBLOCK : 0;
    flags |= (how & SYS_NO_LINK) != 0 ? O_NOFOLLOW : 0;
    return open(path, flags | O_NOCTTY | O_CLOEXEC, 0666);
}

int sys_close(int fd) { return close(fd); }

ssize_t sys_read(int fd, void *bytes, size_t size) {
    ssize_t count;
    do {
        count = read(fd, bytes, size);
    } while (count < 0 && errno == EINTR);
    return count;
}

ssize_t sys_write(int fd, const void *bytes, size_t length) {
    ssize_t count;
    do {
        count = write(fd, bytes, length);
    } while (count < 0 && errno == EINTR);
    return count;
}

ssize_t sys_read_at(int fd, void *bytes, size_t size, int64_t at) {
    return pread(fd, bytes, size, (off_t)at);
}

int64_t sys_seek(int fd, int64_t offset, int whence) { return lseek(fd, (off_t)offset, whence); }

int sys_truncate(int fd, int64_t bytes) { return ftruncate(fd, (off_t)bytes); }

int sys_sync(int fd) { return fsync(fd); }

int sys_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

bool sys_can_read_back(int fd) { return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR; }

/* ---- status ---- */

static enum sys_type type_of(mode_t mode) {
    return S_ISREG(mode)    ? SYS_REGULAR
           : S_ISDIR(mode)  ? SYS_FOLDER
           : S_ISCHR(mode)  ? SYS_CHARACTERS
           : S_ISBLK(mode)  ? SYS_BLOCKS
           : S_ISSOCK(mode) ? SYS_SOCKET
                            : SYS_OTHER;
}

static int fill(struct sys_status *status, const struct stat *from) {
    *status = (struct sys_status){.type = type_of(from->st_mode),
                                  .bytes = (uint64_t)from->st_size,
                                  .device = (uint64_t)from->st_dev,
                                  .node = from->st_ino,
                                  .changed_s = from->st_mtime,
                                  .is_shared = (from->st_mode & (S_IRWXG | S_IRWXO)) != 0};
    return 0;
}

int sys_status(int fd, struct sys_status *status) {
    struct stat got;
    return fstat(fd, &got) == 0 ? fill(status, &got) : -1;
}

int sys_status_of(const char *path, struct sys_status *status) {
    struct stat got;
    return stat(path, &got) == 0 ? fill(status, &got) : -1;
}

bool sys_is_same(const struct sys_status *a, const struct sys_status *b) {
    return a->device == b->device && a->node == b->node;
}

bool sys_is_regular(const char *path) {
    struct sys_status status;
    return sys_status_of(path, &status) == 0 && status.type == SYS_REGULAR;
}

bool sys_exists(const char *path) { return access(path, F_OK) == 0; }

int sys_check_writable(const char *path) { return access(path, W_OK); }

int sys_check_folder(const char *path) {
    struct sys_status status;
    if (sys_status_of(path, &status) != 0) {
        return -1;
    }
    errno = ENOTDIR;
    return status.type == SYS_FOLDER ? access(path, W_OK | X_OK) : -1;
}

/* ---- names ---- */

int sys_make_folder(const char *path) { return mkdir(path, 0777); }

int sys_remove(const char *path) { return unlink(path); }

int sys_remove_folder(const char *path) { return rmdir(path); }

int sys_replace(const char *from, const char *to) { return rename(from, to); }

char *sys_real_path(const char *path, char *real) { return realpath(path, real); }

const char *sys_last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int sys_lock(int fd, bool shared) { return flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB); }

/* ---- temporary files ---- */

static void name_temporary(char *path, size_t size) {
    const char *folder = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/hostlink.XXXXXX", folder && *folder ? folder : "/tmp");
}

int sys_open_temporary(void) {
    char path[512];
    name_temporary(path, sizeof path);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        (void)unlink(path);
    }
    return fd;
}

int sys_make_temporary(char *path, size_t size) {
    name_temporary(path, size);
    return mkdtemp(path) ? 0 : -1;
}

uint32_t sys_process_number(void) { return (uint32_t)getpid(); }
