/* SPDX-License-Identifier: MIT */
#include "windows/names.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <windows.h>

/* Longer ones need the prefix (MAX_PATH less a name of 8.3 in a folder). */
#define SHORT_PATH 240u

bool name_to_wide(const char *path, wchar_t wide[NAME_WIDE]) {
    static const wchar_t prefix[] = L"\\\\?\\";
    const size_t bytes = sizeof prefix / sizeof *prefix - 1;
    wchar_t given[NAME_WIDE];
    if (*path == '\0' ||
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, NAME_WIDE) == 0) {
        errno = ENOENT;
        return false;
    }
    if (wcslen(given) < SHORT_PATH || wcsncmp(given, L"\\\\", 2) == 0) {
        wcscpy(wide, given);
        return true;
    }
    wcscpy(wide, prefix);
    const DWORD length = GetFullPathNameW(given, NAME_WIDE - (DWORD)bytes - 1, wide + bytes, NULL);
    if (length == 0 || length >= NAME_WIDE - bytes - 1) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

bool name_to_utf8(const wchar_t *wide, char *text, size_t size) {
    const int length = WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL);
    if (length == 0 && size > 0) {
        text[0] = '\0';
    }
    return length > 0;
}

const char *name_of_serial(const char *path) {
    const char *name =
        strncmp(path, "\\\\.\\", 4) == 0 || strncmp(path, "//./", 4) == 0 ? path + 4 : path;
    const size_t digits = strncasecmp(name, "COM", 3) == 0 ? strspn(name + 3, "0123456789") : 0;
    return digits > 0 && digits < 4 && name[3 + digits] == '\0' ? name : NULL;
}

int name_error(void) {
    static const struct {
        DWORD from;
        int to;
    } errors[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                  {ERROR_PATH_NOT_FOUND, ENOENT},
                  {ERROR_INVALID_NAME, ENOENT},
                  {ERROR_BAD_PATHNAME, ENOENT},
                  {ERROR_BAD_NETPATH, ENOENT},
                  {ERROR_BAD_NET_NAME, ENOENT},
                  {ERROR_INVALID_DRIVE, ENOENT},
                  {ERROR_ACCESS_DENIED, EACCES},
                  {ERROR_WRITE_PROTECT, EROFS},
                  {ERROR_SHARING_VIOLATION, EBUSY},
                  {ERROR_LOCK_VIOLATION, EAGAIN},
                  {ERROR_FILE_EXISTS, EEXIST},
                  {ERROR_ALREADY_EXISTS, EEXIST},
                  {ERROR_DISK_FULL, ENOSPC},
                  {ERROR_HANDLE_DISK_FULL, ENOSPC},
                  {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                  {ERROR_DIRECTORY, ENOTDIR},
                  {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                  {ERROR_OUTOFMEMORY, ENOMEM},
                  {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                  {ERROR_INVALID_HANDLE, EBADF},
                  {ERROR_BROKEN_PIPE, EPIPE},
                  {ERROR_NO_DATA, EPIPE},
                  {ERROR_PIPE_NOT_CONNECTED, EPIPE},
                  {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
                  {ERROR_BAD_EXE_FORMAT, ENOEXEC},
                  {ERROR_INVALID_PARAMETER, EINVAL},
                  {ERROR_CURRENT_DIRECTORY, EACCES}};
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].from == error) {
            errno = errors[i].to;
        }
    }
    return -1;
}
