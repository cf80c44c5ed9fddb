/* SPDX-License-Identifier: MIT */
#include "cli/key.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "platform/file.h"

/* Longer than any way to write 16 bytes down. */
#define TEXT_SIZE 256u

static int digit(char letter) {
    const char *digits = "0123456789abcdef";
    const char *found = letter != '\0' ? strchr(digits, tolower((unsigned char)letter)) : NULL;
    return found ? (int)(found - digits) : -1;
}

static const char *skip_between(const char *text) { return text + strspn(text, " \t\r\n,:"); }

/* 16 bytes of two hex digits, written together, or as the firmware's header has them: 0x3c, 0x91, ... */
static bool parse(struct key *key, const char *text) {
    text = skip_between(text);
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        text += text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
        int high = digit(text[0]);
        int low = high < 0 ? -1 : digit(text[1]);
        if (low < 0) {
            return false;
        }
        key->bytes[i] = (uint8_t)(high << 4 | low);
        text = skip_between(text + 2);
    }
    key->given = *text == '\0';
    return key->given;
}

/* The text of the file; its length, or -errno. */
static ssize_t read_file(const char *path, char *text, size_t size) {
    struct sys_status status;
    int fd = sys_open(path, SYS_READ);
    if (fd < 0) {
        return -errno;
    }
    ssize_t length = sys_read(fd, text, size);
    length = length < 0 ? -errno : length;
    if (sys_status(fd, &status) == 0 && status.type == SYS_REGULAR && status.is_shared) {
        say("%s: other users can read this key; make it private by 'chmod 600 %s'", path, path);
    }
    sys_close(fd);
    return length;
}

bool key_read(struct key *key, const char *path) {
    char text[TEXT_SIZE];
    const char *given = getenv(KEY_ENVIRONMENT);
    if (path) {
        ssize_t length = read_file(path, text, sizeof text - 1);
        if (length < 0) {
            say("%s: the key cannot be read: %s", path, strerror((int)-length));
            return false;
        }
        text[length] = '\0';
        given = text;
    }
    if (given && !parse(key, given)) {
        say("%s: a key is 16 bytes of two hex digits each, and nothing else",
            path ? path : KEY_ENVIRONMENT);
        return false;
    }
    return true;
}
