/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdbool.h>

#include <windows.h>

#include "windows/names.h"

void *memmem(const void *bytes, size_t length, const void *wanted, size_t wanted_length) {
    const char *at = bytes, *end = at + length;
    for (; (size_t)(end - at) >= wanted_length; at++) {
        if (memcmp(at, wanted, wanted_length) == 0) {
            return (void *)(uintptr_t)at;
        }
    }
    return NULL;
}

char *strndup(const char *text, size_t most) {
    const size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *stpcpy(char *to, const char *from) {
    const size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

struct tm *gmtime_r(const time_t *time, struct tm *when) {
    return gmtime_s(when, time) == 0 ? when : NULL;
}

struct tm *localtime_r(const time_t *time, struct tm *when) {
    return localtime_s(when, time) == 0 ? when : NULL;
}

/* ---- patterns ---- */

/* "[a-z]": finds if the character is in it, and where it ends; NULL: not a set, but a bracket. */
static const char *match_set(const char *pattern, char character, bool *found) {
    const char *at = pattern + 1;
    const bool inverted = *at == '!' || *at == '^';
    at += inverted;
    bool is_in = false;
    for (const char *first = at; *at != '\0' && (*at != ']' || at == first); at++) {
        const unsigned char low = (unsigned char)*at;
        const bool range = at[1] == '-' && at[2] != ']' && at[2] != '\0';
        at += range ? 2 : 0;
        is_in = is_in ||
                ((unsigned char)character >= low && (unsigned char)character <= (unsigned char)*at);
    }
    *found = is_in != inverted;
    return *at == ']' ? at + 1 : NULL;
}

/* One character of the text: what follows in the pattern, or NULL if it does not match. */
static const char *match_one(const char *pattern, char character) {
    bool found = false;
    const char *after = *pattern == '[' ? match_set(pattern, character, &found) : NULL;
    if (after) {
        return found ? after : NULL;
    }
    if (*pattern == '?') {
        return pattern + 1;
    }
    pattern += *pattern == '\\' && pattern[1] != '\0';
    return *pattern == character && character != '\0' ? pattern + 1 : NULL;
}

/* Back to the last star whenever it fails: that one takes a character more. */
int fnmatch(const char *pattern, const char *text, int flags) {
    const char *star = NULL, *from = NULL;
    (void)flags;
    while (*text != '\0') {
        const char *after = *pattern == '*' ? NULL : match_one(pattern, *text);
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (after) {
            pattern = after;
            text++;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else {
            return FNM_NOMATCH;
        }
    }
    pattern += strspn(pattern, "*");
    return *pattern == '\0' ? 0 : FNM_NOMATCH;
}

/* ---- files and errors ---- */

FILE *libc_open(const char *path, const char *mode) {
    wchar_t name[NAME_WIDE], how[8] = {0};
    size_t used = 0;
    if (!name_to_wide(path, name)) {
        return NULL;
    }
    for (; *mode != '\0' && used < 5; mode++) {
        if (*mode != 'e' && *mode != 'b') { /* 'e': not for children, as here without it */
            how[used++] = (wchar_t)*mode;
        }
    }
    how[used] = L'b';
    return _wfopen(name, how);
}

#undef strerror

const char *libc_error_text(int error) {
    static const struct {
        int error;
        const char *text;
    } texts[] = {{EADDRINUSE, "Address already in use"},
                 {EADDRNOTAVAIL, "Cannot assign requested address"},
                 {EAFNOSUPPORT, "Address family not supported"},
                 {ECONNABORTED, "Connection aborted"},
                 {ECONNREFUSED, "Connection refused"},
                 {ECONNRESET, "Connection reset by peer"},
                 {EHOSTUNREACH, "No route to host"},
                 {EINPROGRESS, "Operation in progress"},
                 {EMSGSIZE, "Message too long"},
                 {ENETDOWN, "Network is down"},
                 {ENETUNREACH, "Network is unreachable"},
                 {ENOBUFS, "No buffer space available"},
                 {ENODATA, "No data available"},
                 {ENOTCONN, "Not connected"},
                 {ENOTSOCK, "Not a socket"},
                 {ENOTSUP, "Operation not supported"},
                 {EOVERFLOW, "Value too large"},
                 {EPROTO, "Protocol error"},
                 {ESTALE, "Stale file"},
                 {ETIMEDOUT, "Connection timed out"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].error == error) {
            return texts[i].text;
        }
    }
    return strerror(error);
}

const char *libc_lookup_error(int error) {
    static char text[512];
    wchar_t wide[256];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                  (DWORD)error, 0, wide, sizeof wide / sizeof *wide, NULL);
    while (length > 0 && wcschr(L".\r\n ", wide[length - 1])) {
        wide[--length] = L'\0';
    }
    return length > 0 && name_to_utf8(wide, text, sizeof text) ? text : "it is not known";
}
