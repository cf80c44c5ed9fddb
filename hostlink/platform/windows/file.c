/* SPDX-License-Identifier: MIT */
#include "platform/file.h"

#include "windows/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#include "windows/names.h"

/* The C library's calls take an int; a console takes less than 64 KiB at a time. */
#define PIECE_BYTES 32768u
#define NAMES_MAX 1000u
#define EVERYBODY (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* The C library does not say it of a descriptor. */
#define OPEN_MOST 2048
static bool reads_back[OPEN_MOST];

/* Bytes stay as they are, and texts are UTF-8. Here, as every program of this library opens files. */
__attribute__((constructor)) static void start(void) {
    WSADATA sockets;
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
    _fmode = _O_BINARY;
    for (int fd = SYS_STDIN; fd <= SYS_STDERR; fd++) {
        (void)_setmode(fd, _O_BINARY);
    }
    (void)SetConsoleOutputCP(CP_UTF8);
    (void)WSAStartup(MAKEWORD(2, 2), &sockets);
}

/* ---- descriptors ---- */

static bool is_folder(const wchar_t *name) {
    const DWORD attributes = GetFileAttributesW(name);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

static int adopt(HANDLE handle, int flags, bool reads) {
    const int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0) {
        (void)CloseHandle(handle);
    } else if (fd < OPEN_MOST) {
        reads_back[fd] = reads;
    }
    return fd;
}

int sys_open(const char *path, unsigned how) {
    wchar_t name[NAME_WIDE];
    const DWORD access =
        ((how & SYS_READ) != 0 ? GENERIC_READ : 0) | ((how & SYS_WRITE) != 0 ? GENERIC_WRITE : 0);
    const DWORD making = (how & SYS_NEW) != 0    ? CREATE_NEW
                         : (how & SYS_MAKE) != 0 ? OPEN_ALWAYS
                                                 : OPEN_EXISTING;
    const DWORD link = (how & SYS_NO_LINK) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
    if (!name_to_wide(path, name)) {
        return -1;
    }
    HANDLE handle =
        CreateFileW(name, access, EVERYBODY, NULL, making, FILE_ATTRIBUTE_NORMAL | link, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        (void)name_error();
        errno = errno == EACCES && is_folder(name) ? EISDIR : errno;
        return -1;
    }
    const int flags =
        ((how & SYS_APPEND) != 0 ? _O_APPEND : 0) | (access == GENERIC_READ ? _O_RDONLY : 0);
    return adopt(handle, flags, access == (GENERIC_READ | GENERIC_WRITE));
}

int sys_close(int fd) {
    struct descriptor *descriptor = descriptor_of(fd);
    if (!descriptor) {
        return _close(fd);
    }
    const bool closed = descriptor->kind == DESCRIPTOR_SOCKET
                            ? closesocket(descriptor->socket) == 0
                            : CloseHandle(descriptor->handle) != 0;
    descriptor_free(fd);
    return closed ? 0 : -1;
}

/* The device is gone if the call fails. */
static ssize_t read_serial(struct descriptor *serial, void *bytes, size_t size) {
    DWORD count = 0;
    const long waiting = descriptor_serial_look(serial);
    if (waiting == 0) {
        errno = EAGAIN;
        return -1;
    }
    const size_t wanted = waiting > 0 && (size_t)waiting < size ? (size_t)waiting : size;
    if (waiting < 0 || !ReadFile(serial->handle, bytes, (DWORD)wanted, &count, NULL)) {
        errno = EIO;
        return -1;
    }
    if (count == 0) {
        errno = EAGAIN;
        return -1;
    }
    return (ssize_t)count;
}

static ssize_t write_serial(struct descriptor *serial, const void *bytes, size_t length) {
    DWORD count = 0;
    if (!WriteFile(serial->handle, bytes, (DWORD)length, &count, NULL)) {
        errno = EIO;
        return -1;
    }
    if (count == 0 && length > 0) {
        errno = EAGAIN;
        return -1;
    }
    return (ssize_t)count;
}

static ssize_t socket_size(int count) { return count >= 0 ? count : descriptor_socket_error(); }

static unsigned piece(size_t length) {
    return length < PIECE_BYTES ? (unsigned)length : PIECE_BYTES;
}

/* The end of a pipe is no error. */
ssize_t sys_read(int fd, void *bytes, size_t size) {
    struct descriptor *descriptor = descriptor_of(fd);
    if (descriptor && descriptor->kind == DESCRIPTOR_SERIAL) {
        return read_serial(descriptor, bytes, size);
    }
    if (descriptor) {
        return socket_size(recv(descriptor->socket, bytes, (int)piece(size), 0));
    }
    const int count = _read(fd, bytes, piece(size));
    return count < 0 && errno == EPIPE ? 0 : count;
}

ssize_t sys_write(int fd, const void *bytes, size_t length) {
    struct descriptor *descriptor = descriptor_of(fd);
    if (descriptor && descriptor->kind == DESCRIPTOR_SERIAL) {
        return write_serial(descriptor, bytes, length);
    }
    if (descriptor) {
        return socket_size(send(descriptor->socket, bytes, (int)piece(length), 0));
    }
    return _write(fd, bytes, piece(length));
}

int64_t sys_seek(int fd, int64_t offset, int whence) { return _lseeki64(fd, offset, whence); }

ssize_t sys_read_at(int fd, void *bytes, size_t size, int64_t at) {
    const int64_t before = _lseeki64(fd, 0, SEEK_CUR);
    if (before < 0 || _lseeki64(fd, at, SEEK_SET) < 0) {
        return -1;
    }
    size_t used = 0;
    int count;
    do {
        count = _read(fd, (char *)bytes + used, piece(size - used));
        used += count > 0 ? (size_t)count : 0;
    } while (count > 0 && used < size);
    (void)_lseeki64(fd, before, SEEK_SET);
    return count < 0 && used == 0 ? -1 : (ssize_t)used;
}

int sys_truncate(int fd, int64_t bytes) {
    const errno_t error = _chsize_s(fd, bytes);
    errno = error;
    return error == 0 ? 0 : -1;
}

int sys_sync(int fd) {
    const intptr_t handle = _get_osfhandle(fd);
    return handle == -1 ? -1 : GetFileType((HANDLE)handle) != FILE_TYPE_DISK ? 0 : _commit(fd);
}

int sys_duplicate(int fd) {
    const int copy = _dup(fd);
    if (copy >= 0) {
        (void)SetHandleInformation((HANDLE)_get_osfhandle(copy), HANDLE_FLAG_INHERIT, 0);
    }
    if (copy >= 0 && copy < OPEN_MOST && fd < OPEN_MOST) {
        reads_back[copy] = reads_back[fd];
    }
    return copy;
}

bool sys_can_read_back(int fd) { return fd >= 0 && fd < OPEN_MOST && reads_back[fd]; }

/* ---- status ---- */

static int64_t unix_s(const FILETIME *time) {
    const uint64_t ticks = (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
    return (int64_t)(ticks / 10000000) - INT64_C(11644473600);
}

static int fill(struct sys_status *status, HANDLE handle) {
    BY_HANDLE_FILE_INFORMATION got;
    const DWORD type = GetFileType(handle);
    if (type != FILE_TYPE_DISK) {
        *status = (struct sys_status){.type = type == FILE_TYPE_CHAR ? SYS_CHARACTERS : SYS_OTHER,
                                      .node = (uint64_t)(uintptr_t)handle};
        return 0;
    }
    if (!GetFileInformationByHandle(handle, &got)) {
        return name_error();
    }
    const bool folder = (got.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    *status = (struct sys_status){.type = folder ? SYS_FOLDER : SYS_REGULAR,
                                  .bytes = (uint64_t)got.nFileSizeHigh << 32 | got.nFileSizeLow,
                                  .device = got.dwVolumeSerialNumber,
                                  .node = (uint64_t)got.nFileIndexHigh << 32 | got.nFileIndexLow,
                                  .changed_s = unix_s(&got.ftLastWriteTime)};
    return 0;
}

int sys_status(int fd, struct sys_status *status) {
    const struct descriptor *descriptor = descriptor_of(fd);
    if (descriptor) {
        *status = (struct sys_status){
            .type = descriptor->kind == DESCRIPTOR_SOCKET ? SYS_SOCKET : SYS_CHARACTERS,
            .node = descriptor->number};
        return 0;
    }
    const intptr_t handle = _get_osfhandle(fd);
    return handle == -1 ? -1 : fill(status, (HANDLE)handle);
}

int sys_status_of(const char *path, struct sys_status *status) {
    wchar_t name[NAME_WIDE];
    if (name_of_serial(path)) { /* a look would open it */
        *status = (struct sys_status){.type = SYS_CHARACTERS};
        return 0;
    }
    if (!name_to_wide(path, name)) {
        return -1;
    }
    HANDLE handle = CreateFileW(name, FILE_READ_ATTRIBUTES, EVERYBODY, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        return name_error();
    }
    const int result = fill(status, handle);
    (void)CloseHandle(handle);
    return result;
}

bool sys_is_same(const struct sys_status *a, const struct sys_status *b) {
    return a->device == b->device && a->node == b->node;
}

bool sys_is_regular(const char *path) {
    struct sys_status status;
    return sys_status_of(path, &status) == 0 && status.type == SYS_REGULAR;
}

bool sys_exists(const char *path) {
    struct sys_status status;
    return sys_status_of(path, &status) == 0;
}

int sys_check_writable(const char *path) {
    wchar_t name[NAME_WIDE];
    if (!name_to_wide(path, name)) {
        return -1;
    }
    const DWORD attributes = GetFileAttributesW(name);
    if (attributes == INVALID_FILE_ATTRIBUTES) {
        return name_error();
    }
    errno = EACCES;
    return (attributes & FILE_ATTRIBUTE_READONLY) != 0 ? -1 : 0;
}

int sys_check_folder(const char *path) {
    struct sys_status status;
    if (sys_status_of(path, &status) != 0) {
        return -1;
    }
    errno = ENOTDIR;
    return status.type == SYS_FOLDER ? 0 : -1;
}

/* ---- names ---- */

int sys_make_folder(const char *path) {
    wchar_t name[NAME_WIDE];
    return !name_to_wide(path, name) ? -1 : CreateDirectoryW(name, NULL) ? 0 : name_error();
}

int sys_remove(const char *path) {
    wchar_t name[NAME_WIDE];
    return !name_to_wide(path, name) ? -1 : DeleteFileW(name) ? 0 : name_error();
}

int sys_remove_folder(const char *path) {
    wchar_t name[NAME_WIDE];
    return !name_to_wide(path, name) ? -1 : RemoveDirectoryW(name) ? 0 : name_error();
}

int sys_replace(const char *from, const char *to) {
    wchar_t old_name[NAME_WIDE], new_name[NAME_WIDE];
    if (!name_to_wide(from, old_name) || !name_to_wide(to, new_name)) {
        return -1;
    }
    return MoveFileExW(old_name, new_name, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
               ? 0
               : name_error();
}

/* With '/', which all programs take, and without "\\?\". */
static char *clean(wchar_t *name, char *real) {
    const bool share = wcsncmp(name, L"\\\\?\\UNC\\", 8) == 0;
    wchar_t *start = share ? name + 6 : wcsncmp(name, L"\\\\?\\", 4) == 0 ? name + 4 : name;
    if (share) {
        start[0] = L'\\';
    }
    for (wchar_t *at = start; *at != L'\0'; at++) {
        *at = *at == L'\\' ? L'/' : *at;
    }
    return name_to_utf8(start, real, SYS_PATH_BYTES) ? real : NULL;
}

char *sys_real_path(const char *path, char *real) {
    wchar_t name[NAME_WIDE];
    if (!name_to_wide(path, name)) {
        return NULL;
    }
    HANDLE handle = CreateFileW(name, FILE_READ_ATTRIBUTES, EVERYBODY, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        (void)name_error();
        return NULL;
    }
    const DWORD length = GetFinalPathNameByHandleW(handle, name, NAME_WIDE, FILE_NAME_NORMALIZED);
    (void)CloseHandle(handle);
    return length > 0 && length < NAME_WIDE ? clean(name, real) : NULL;
}

const char *sys_last_part(const char *path) {
    const char *last = path;
    for (; *path != '\0'; path++) {
        last = *path == '/' || *path == '\\' || *path == ':' ? path + 1 : last;
    }
    return last;
}

/* Far beyond the end of any file: a lock keeps others from reading what it covers. */
int sys_lock(int fd, bool shared) {
    OVERLAPPED place = {.Offset = 0, .OffsetHigh = 0x40000000};
    const DWORD how = LOCKFILE_FAIL_IMMEDIATELY | (shared ? 0 : LOCKFILE_EXCLUSIVE_LOCK);
    const intptr_t handle = _get_osfhandle(fd);
    return handle == -1                                            ? -1
           : LockFileEx((HANDLE)handle, how, 0, 1, 0, &place) != 0 ? 0
                                                                   : name_error();
}

/* ---- temporary files ---- */

static void name_temporary(char *path, size_t size, unsigned number) {
    wchar_t wide[NAME_WIDE];
    char place[SYS_PATH_BYTES] = ".";
    const char *given = getenv("TMPDIR");
    if (!given && GetTempPathW(NAME_WIDE, wide) > 0) {
        (void)name_to_utf8(wide, place, sizeof place);
    }
    (void)snprintf(path, size, "%s/hostlink.%lu-%u", given && *given ? given : place,
                   (unsigned long)GetCurrentProcessId(), number);
}

int sys_open_temporary(void) {
    static unsigned number;
    char path[SYS_PATH_BYTES];
    wchar_t name[NAME_WIDE];
    HANDLE handle = INVALID_HANDLE_VALUE;
    for (unsigned i = 0; i < NAMES_MAX && handle == INVALID_HANDLE_VALUE; i++) {
        name_temporary(path, sizeof path, number++);
        if (!name_to_wide(path, name)) {
            return -1;
        }
        handle = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, EVERYBODY, NULL, CREATE_NEW,
                             FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
        if (handle == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS) {
            return name_error();
        }
    }
    return handle == INVALID_HANDLE_VALUE ? name_error() : adopt(handle, _O_RDWR, true);
}

int sys_make_temporary(char *path, size_t size) {
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        name_temporary(path, size, i);
        if (sys_make_folder(path) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
}

uint32_t sys_process_number(void) { return (uint32_t)GetCurrentProcessId(); }
