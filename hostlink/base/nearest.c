/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

#define LENGTH_MAX 32

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool are_swapped(const char *a, const char *b, size_t i, size_t j) {
    return i >= 2 && j >= 2 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* The fewest letters left out, put in, replaced or swapped with their neighbour (optimal string
 * alignment), row by row of the matrix of all beginnings. Both words have at most LENGTH_MAX bytes. */
static size_t edits_between(const char *a, const char *b) {
    size_t rows[3][LENGTH_MAX + 1];
    size_t height = strlen(a), width = strlen(b);
    for (size_t j = 0; j <= width; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= height; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1);
            row[j] = least(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (are_swapped(a, b, i, j)) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return rows[height % 3][width];
}

void nearest_try(struct nearest *nearest, const char *word) {
    size_t typed = strlen(nearest->typed), length = strlen(word);
    if (typed > LENGTH_MAX || length > LENGTH_MAX || typed == 0) {
        return;
    }
    size_t edits = edits_between(nearest->typed, word);
    /* More than a third of the word wrong is another word; the beginning of a word is that word. */
    if (edits > 0 && typed >= 3 && strncmp(nearest->typed, word, typed) == 0) {
        edits = 1;
    } else if (edits * 3 > length) {
        return;
    }
    if (!nearest->word || edits < nearest->edits) {
        nearest->word = word;
        nearest->edits = edits;
    }
}
