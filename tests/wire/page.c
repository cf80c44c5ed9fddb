/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *path, const char *why) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

static char *read_text(const char *path) {
    const size_t limit = 1u << 20;
    FILE *file = fopen(path, "r");
    char *text = calloc(1, limit);
    if (file == NULL || text == NULL) {
        give_up(path, "cannot be read");
    }
    size_t length = fread(text, 1, limit - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    return text;
}

static size_t read_hex(uint8_t *out, const char *text) {
    size_t count = 0;
    char *end = NULL;
    for (unsigned long byte = strtoul(text, &end, 16); end != text && count < EXAMPLE_BYTES;
         byte = strtoul(text, &end, 16)) {
        out[count++] = (uint8_t)byte;
        text = end;
    }
    return count;
}

static void read_lines(struct example *example, char *text) {
    for (char *line = text; line != NULL && *line != '\0' && example->lines < EXAMPLE_LINES;) {
        char *end = strchr(line, '\n');
        example->line[example->lines++] = line;
        if (end != NULL) {
            *end++ = '\0';
        }
        line = end;
    }
}

/* A block is the text between a line of ``` with its name and the next line of ```. */
static void read_block(struct page *page, const char *name, char *text) {
    struct example *example = &page->example[page->count];
    if (strcmp(name, "lines") == 0) {
        read_lines(example, text);
    } else if (strcmp(name, "packet") == 0) {
        example->packet_bytes = read_hex(example->packet, text);
    } else if (strcmp(name, "wire") == 0) {
        example->wire_bytes = read_hex(example->wire, text);
        page->count++;
    }
}

void page_read(struct page *page, const char *path) {
    memset(page, 0, sizeof *page);
    page->text = read_text(path);
    char *at = strstr(page->text, "\n## 9. ");
    if (at == NULL) {
        give_up(path, "has no section 9");
    }
    while ((at = strstr(at, "\n```")) != NULL && page->count < EXAMPLES_MAX) {
        char *name = at + 4;
        char *text = strchr(name, '\n');
        at = text == NULL ? NULL : strstr(text, "\n```");
        if (at == NULL) {
            give_up(path, "a block does not end");
            return;
        }
        *text++ = '\0';
        *at = '\0';
        at += 4;
        read_block(page, name, text);
    }
}

void page_free(struct page *page) { free(page->text); }

bool line_is(const char *line, const char *name) {
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

static const char *value_of(const char *line, const char *key) {
    char pattern[32];
    (void)snprintf(pattern, sizeof pattern, " %s=", key);
    const char *found = strstr(line, pattern);
    return found == NULL ? "" : found + strlen(pattern);
}

uint64_t line_number(const char *line, const char *key) {
    const char *text = value_of(line, key);
    return *text == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
}

uint32_t line_words(const char *line, uint32_t *words, uint32_t limit) {
    const char *text = value_of(line, "words");
    uint32_t count = 0;
    char *end = NULL;
    for (unsigned long word = strtoul(text, &end, 16); end != text && count < limit;
         word = strtoul(text, &end, 16)) {
        words[count++] = (uint32_t)word;
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

const char *line_meaning(const char *line) {
    const char *found = strstr(line, " # ");
    return found == NULL ? NULL : found + 3;
}
