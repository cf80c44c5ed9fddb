/* SPDX-License-Identifier: MIT */
#include "clean.h"

#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"

void must_be_clean(const char *text, const char *what) {
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t character = 0;
        at += utf8_next(text + at, length - at, &character);
        if (utf8_is_control(character)) {
            fuzz_wrong(what);
        }
    }
    if (!utf8_valid(text, length)) {
        fuzz_wrong(what);
    }
}
