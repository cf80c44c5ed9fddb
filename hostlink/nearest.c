#include "nearest.h"

#include <string.h>

#define LENGTH_MAX 32

static size_t least(size_t a, size_t b, size_t c) {
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Levenshtein distance, one row of the matrix at a time. Both words have at most LENGTH_MAX bytes. */
static size_t edits_between(const char *a, const char *b) {
    size_t row[LENGTH_MAX + 1];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[width];
}

void nearest_try(struct nearest *nearest, const char *word) {
    size_t typed = strlen(nearest->typed), length = strlen(word);
    if (typed > LENGTH_MAX || length > LENGTH_MAX || typed == 0) {
        return;
    }
    size_t edits = edits_between(nearest->typed, word);
    /* More than a third of the word wrong is another word; the beginning of a word is that word. */
    if (typed >= 3 && strncmp(nearest->typed, word, typed) == 0) {
        edits = 1;
    } else if (edits * 3 > length) {
        return;
    }
    if (!nearest->word || edits < nearest->edits) {
        nearest->word = word;
        nearest->edits = edits;
    }
}
