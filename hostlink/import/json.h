/* SPDX-License-Identifier: MIT */
/* Reads JSON piece by piece, from memory. Once something is wrong every call fails, and "at" is the byte where. */
#ifndef HOSTLINK_IMPORT_JSON_H
#define HOSTLINK_IMPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    const char *bytes;
    size_t length, at;
    const char *why; /* the error, NULL: none */
    bool ended;      /* the error is the end of the input */
};

/* A text that grows; free(bytes). */
struct json_buffer {
    char *bytes; /* ended by NUL */
    size_t used, size;
};

/* The next character that is no blank, which stays; '\0' at the end and where something is wrong. */
char json_next(struct json *json);
/* Takes this character. */
bool json_take(struct json *json, char wanted);
/* A string, or any other value as it stands. */
bool json_value(struct json *json, struct json_buffer *value);
/* Steps over a value; *from and *to are where it is. */
bool json_skip(struct json *json, size_t *from, size_t *to);
/* Inside an object, *first true at the start: the next key with its colon. False at its end, which is taken, or if
 * something is wrong. */
bool json_key(struct json *json, struct json_buffer *key, bool *first);
/* The same of an array: an element follows. */
bool json_element(struct json *json, bool *first);

#endif
