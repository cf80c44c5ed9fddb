/* SPDX-License-Identifier: MIT */
#include "import/json.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 512u

static bool wrong(struct json *json, const char *why) {
    if (!json->why) {
        json->ended = json->at >= json->length;
        json->why = json->ended ? "it ends here, in the middle" : why;
    }
    return false;
}

char json_next(struct json *json) {
    while (json->at < json->length && strchr(" \t\r\n", json->bytes[json->at]) &&
           json->bytes[json->at] != '\0') {
        json->at++;
    }
    return json->why || json->at >= json->length ? '\0' : json->bytes[json->at];
}

bool json_take(struct json *json, char wanted) {
    static const struct {
        char character;
        const char *why;
    } expected[] = {{'{', "'{' is expected"}, {'}', "'}' or ',' is expected"},
                    {'[', "'[' is expected"}, {']', "']' or ',' is expected"},
                    {':', "':' is expected"}, {'"', "a string is expected"}};
    if (json_next(json) == wanted) {
        json->at++;
        return true;
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (expected[i].character == wanted) {
            return wrong(json, expected[i].why);
        }
    }
    return wrong(json, "something else is expected");
}

/* ---- strings ---- */

static bool put(struct json *json, struct json_buffer *buffer, const char *bytes, size_t length) {
    if (buffer->used + length + 1 > buffer->size) {
        const size_t size = 2 * (buffer->used + length) + 64;
        char *grown = realloc(buffer->bytes, size);
        if (!grown) {
            return wrong(json, "memory is short");
        }
        buffer->bytes = grown;
        buffer->size = size;
    }
    memcpy(buffer->bytes + buffer->used, bytes, length);
    buffer->used += length;
    buffer->bytes[buffer->used] = '\0';
    return true;
}

static bool put_character(struct json *json, struct json_buffer *buffer, uint32_t character) {
    char utf8[4];
    size_t length = 0;
    /* A zero would end the text, half a pair is no character. */
    if (character == 0 || (character >= 0xd800 && character < 0xe000)) {
        character = 0xfffd;
    }
    if (character < 0x80) {
        utf8[length++] = (char)character;
    } else if (character < 0x800) {
        utf8[length++] = (char)(0xc0 | character >> 6);
    } else if (character < 0x10000) {
        utf8[length++] = (char)(0xe0 | character >> 12);
        utf8[length++] = (char)(0x80 | (character >> 6 & 0x3f));
    } else {
        utf8[length++] = (char)(0xf0 | character >> 18);
        utf8[length++] = (char)(0x80 | (character >> 12 & 0x3f));
        utf8[length++] = (char)(0x80 | (character >> 6 & 0x3f));
    }
    if (character >= 0x80) {
        utf8[length++] = (char)(0x80 | (character & 0x3f));
    }
    return put(json, buffer, utf8, length);
}

/* Four hexadecimal digits. */
static bool read_unit(struct json *json, uint32_t *unit) {
    *unit = 0;
    for (unsigned i = 0; i < 4; i++, json->at++) {
        const char c = json->at < json->length ? json->bytes[json->at] : '\0';
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                      : 16;
        if (digit == 16) {
            return wrong(json, "four hexadecimal digits are expected");
        }
        *unit = *unit << 4 | digit;
    }
    return true;
}

static bool read_unicode(struct json *json, struct json_buffer *buffer) {
    uint32_t first, second = 0;
    if (!read_unit(json, &first)) {
        return false;
    }
    const bool pair = first >= 0xd800 && first < 0xdc00 && json->length - json->at >= 2 &&
                      memcmp(json->bytes + json->at, "\\u", 2) == 0;
    if (pair) {
        const size_t at = json->at;
        json->at += 2;
        if (!read_unit(json, &second)) {
            return false;
        }
        if (second >= 0xdc00 && second < 0xe000) {
            first = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        } else {
            json->at = at;
        }
    }
    return put_character(json, buffer, first);
}

static bool read_escape(struct json *json, struct json_buffer *buffer) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = json->at < json->length ? json->bytes[json->at] : '\0';
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (c != 'u' && !known) {
        return wrong(json, "no such escape");
    }
    json->at++;
    return known ? put(json, buffer, &to[known - from], 1) : read_unicode(json, buffer);
}

static bool read_string(struct json *json, struct json_buffer *buffer) {
    buffer->used = 0;
    if (!json_take(json, '"') || !put(json, buffer, "", 0)) {
        return false;
    }
    for (;;) {
        const size_t from = json->at;
        while (json->at < json->length && json->bytes[json->at] != '"' &&
               json->bytes[json->at] != '\\' && json->bytes[json->at] != '\0') {
            json->at++;
        }
        if (!put(json, buffer, json->bytes + from, json->at - from)) {
            return false;
        }
        if (json->at >= json->length || json->bytes[json->at] == '\0') {
            return wrong(json, "a zero byte");
        }
        if (json->bytes[json->at++] == '"') {
            return true;
        }
        if (!read_escape(json, buffer)) {
            return false;
        }
    }
}

/* ---- values ---- */

static bool is_of_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.';
}

static bool skip_string(struct json *json) {
    for (json->at++; json->at < json->length && json->bytes[json->at] != '"'; json->at++) {
        json->at += json->bytes[json->at] == '\\' ? 1 : 0;
    }
    if (json->at >= json->length) {
        json->at = json->length;
        return wrong(json, "");
    }
    json->at++;
    return true;
}

static bool skip_word(struct json *json) {
    const size_t from = json->at;
    while (json->at < json->length && is_of_word(json->bytes[json->at])) {
        json->at++;
    }
    return json->at > from ? true : wrong(json, "a value is expected");
}

/* Matches brackets, and does not check the text between them. */
bool json_skip(struct json *json, size_t *from, size_t *to) {
    char open[DEPTH_MAX];
    unsigned depth = 0;
    (void)json_next(json);
    *from = json->at;
    do {
        const char c = json_next(json);
        if (c == '{' || c == '[') {
            if (depth == DEPTH_MAX) {
                return wrong(json, "nested too deeply");
            }
            open[depth++] = c == '{' ? '}' : ']';
            json->at++;
        } else if ((c == '}' || c == ']') && depth > 0) {
            if (open[--depth] != c) {
                return wrong(json, "a bracket that does not match");
            }
            json->at++;
        } else if ((c == ',' || c == ':') && depth > 0) {
            json->at++;
        } else if (!(c == '"' ? skip_string(json) : skip_word(json))) {
            return false;
        }
    } while (depth > 0);
    *to = json->at;
    return true;
}

bool json_value(struct json *json, struct json_buffer *value) {
    size_t from, to;
    if (json_next(json) == '"') {
        return read_string(json, value);
    }
    value->used = 0;
    return json_skip(json, &from, &to) && put(json, value, json->bytes + from, to - from);
}

/* A comma before all but the first; false at the end, or if something is wrong. */
static bool step(struct json *json, char end, bool *first) {
    if (json_next(json) == end) {
        json->at++;
        return false;
    }
    if (!*first && json_next(json) != ',') {
        return json_take(json, end);
    }
    json->at += *first ? 0 : 1;
    *first = false;
    return !json->why;
}

bool json_key(struct json *json, struct json_buffer *key, bool *first) {
    return step(json, '}', first) && read_string(json, key) && json_take(json, ':');
}

bool json_element(struct json *json, bool *first) {
    const bool follows = step(json, ']', first);
    return follows && (json_next(json) != '\0' || wrong(json, ""));
}
