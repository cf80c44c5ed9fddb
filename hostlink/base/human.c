/* SPDX-License-Identifier: MIT */
#include "base/human.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

const char *human_noun(uint64_t amount, const char *one, const char *many) {
    return amount == 1 ? one : many;
}

char *human_count(char text[HUMAN_COUNT_SIZE], uint64_t amount, const char *one, const char *many) {
    snprintf(text, HUMAN_COUNT_SIZE, "%" PRIu64 " %s", amount, human_noun(amount, one, many));
    return text;
}

static int decimals_of(double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; }

char *human_number(char text[HUMAN_SIZE], double value, const char *unit) {
    static const char prefixes[] = "kMGT";
    int prefix = -1;
    while (value >= 999.5 && prefix < 3) {
        value /= 1e3;
        prefix++;
    }
    if (prefix < 0) {
        snprintf(text, HUMAN_SIZE, "%.0f%s%s", value, *unit ? " " : "", unit);
    } else {
        snprintf(text, HUMAN_SIZE, "%.*f %c%s", decimals_of(value), value, prefixes[prefix], unit);
    }
    return text;
}

static char *short_time(char text[HUMAN_SIZE], double value) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    while (value >= 999.5 && unit < 3) {
        value /= 1e3;
        unit++;
    }
    snprintf(text, HUMAN_SIZE, "%.*f %s", unit == 0 ? 0 : decimals_of(value), value, units[unit]);
    return text;
}

char *human_time(char text[HUMAN_SIZE], uint64_t time_ns) {
    uint64_t seconds = time_ns / 1000000000u;
    if (seconds < 100) {
        return short_time(text, (double)time_ns);
    }
    if (seconds < 6000) {
        snprintf(text, HUMAN_SIZE, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
    } else {
        snprintf(text, HUMAN_SIZE, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
                 seconds / 60 % 60);
    }
    return text;
}
