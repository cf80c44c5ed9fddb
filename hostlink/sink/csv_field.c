#include "sink/csv_field.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t length) {
    bool needed = false;
    for (size_t i = 0; i < length && !needed; i++) {
        needed = text[i] != '\0' && strchr(",\"\r\n", text[i]) != NULL;
    }
    return needed;
}

void csv_field(struct outfile *out, const char *text, size_t length) {
    if (!needs_quotes(text, length)) {
        outfile_write(out, text, length);
        return;
    }
    outfile_write(out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        outfile_write(out, "\"\"", text[i] == '"' ? 2 : 0);
        outfile_write(out, text + i, text[i] == '"' ? 0 : 1);
    }
    outfile_write(out, "\"", 1);
}

void csv_print(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, out);
    }
    fputc('"', out);
}
