/* SPDX-License-Identifier: MIT */
#include "platform/terminal.h"

#include "windows/descriptors.h"

#include <errno.h>
#include <io.h>
#include <stdint.h>

#include "platform/file.h"

static struct {
    HANDLE handle;
    DWORD before;
    int fd;
} keys = {.fd = -1};

static HANDLE handle_of(int fd) { return (HANDLE)_get_osfhandle(fd); }

bool terminal_is(int fd) {
    DWORD mode;
    return GetConsoleMode(handle_of(fd), &mode) != 0;
}

/* Windows 10 and later, once they are asked for. */
bool terminal_takes_sequences(int fd) {
    DWORD mode;
    return GetConsoleMode(handle_of(fd), &mode) &&
           ((mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 ||
            SetConsoleMode(handle_of(fd), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING));
}

bool terminal_size(int fd, unsigned *columns, unsigned *rows) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(handle_of(fd), &info) ||
        info.srWindow.Right < info.srWindow.Left) {
        return false;
    }
    *columns = (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
    *rows = (unsigned)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return true;
}

bool terminal_takes_utf8(void) { return true; }

/* ---- keys ---- */

/* Only the end of the process takes the modes back, so a crash needs no handling here. */
int terminal_take_keys(void (*leave)(void)) {
    INPUT_RECORD record;
    DWORD waiting;
    (void)leave;
    keys.handle = CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (keys.handle == INVALID_HANDLE_VALUE || !GetConsoleMode(keys.handle, &keys.before)) {
        return -1;
    }
    (void)SetConsoleMode(keys.handle, ENABLE_PROCESSED_INPUT | ENABLE_VIRTUAL_TERMINAL_INPUT);
    /* Wine reads no key before a first look for one. */
    (void)PeekConsoleInputW(keys.handle, &record, 1, &waiting);
    keys.fd = descriptor_new(DESCRIPTOR_CONSOLE, 0, keys.handle);
    return keys.fd;
}

void terminal_release_keys(void) {
    (void)SetConsoleMode(keys.handle, keys.before);
    (void)sys_close(keys.fd);
    keys.fd = -1;
}

ssize_t terminal_read_keys(char *bytes, size_t size) {
    size_t used = 0;
    DWORD waiting = 0, got = 0;
    INPUT_RECORD record;
    while (used + 4 <= size && GetNumberOfConsoleInputEvents(keys.handle, &waiting) &&
           waiting > 0) {
        if (!ReadConsoleInputW(keys.handle, &record, 1, &got)) {
            return -1;
        }
        const wchar_t character = record.Event.KeyEvent.uChar.UnicodeChar;
        if (record.EventType == KEY_EVENT && record.Event.KeyEvent.bKeyDown && character != 0) {
            const int count = WideCharToMultiByte(CP_UTF8, 0, &character, 1, bytes + used,
                                                  (int)(size - used), NULL, NULL);
            used += count > 0 ? (size_t)count : 0;
        }
    }
    return (ssize_t)used;
}

bool terminal_wants_suspend(void) { return false; }

void terminal_suspend(void) {}
