/* SPDX-License-Identifier: MIT */
/* Tables: for people as aligned text, for programs as CSV and JSON. A table has columns, each with a unit, and rows;
 * the cells of a row are put in the order of the columns. CSV and JSON are written row by row; text waits for its
 * widths, and keeps no more rows than it shows. */
#ifndef HOSTLINK_TABLE_H
#define HOSTLINK_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/nearest.h"
#include "sink/outfile.h"

/* Bits, so that a column or a row can name the forms that have it. */
enum table_form { TABLE_TEXT = 1, TABLE_CSV = 2, TABLE_JSON = 4 };
#define TABLE_DATA (TABLE_CSV | TABLE_JSON)
#define TABLE_ALL (TABLE_TEXT | TABLE_DATA)

/* How people read the cells of a column; CSV and JSON have the plain number. */
enum table_unit {
    TABLE_NAME,    /* text, left */
    TABLE_COUNT,   /* 12345 */
    TABLE_TIME,    /* ns: "12.3 us" */
    TABLE_AT,      /* ns since the start of the trace: "1.234567890 s" */
    TABLE_BYTES,   /* "1.23 kB" */
    TABLE_PERCENT, /* "12.34 %" */
    TABLE_MEAN,    /* one decimal below 100 */
    TABLE_RATIO,   /* three decimals */
    TABLE_REAL,    /* six decimals, in CSV and JSON too */
    TABLE_VALUE    /* of a plot: as many digits as tell it from others */
};

struct table_column {
    const char *key;  /* in CSV and JSON, with the unit: "total_ns"; NULL: they do not have it */
    const char *head; /* for people; NULL: not in text */
    enum table_unit unit;
    uint8_t least, most; /* characters for people; most 0: any number */
    uint8_t forms;       /* 0: those that have a key or a head */
};

/* Where tables go. */
struct table_to {
    enum table_form form;
    FILE *text;          /* TABLE_TEXT */
    struct outfile *out; /* the others */
    const char *sort; /* the key or the head of a column, NULL: rows stay in the order of putting */
    uint32_t top; /* rows of each table, 0: all, or for people as many as the table has by itself */
    uint32_t tables;         /* that were begun */
    bool sorted;             /* one had the column of "sort" */
    struct nearest *nearest; /* is given the names of all columns, or NULL */
};

struct table_cell {
    enum { TABLE_NOTHING, TABLE_WORDS, TABLE_UNSIGNED, TABLE_SIGNED, TABLE_DOUBLE } is;
    union {
        size_t text; /* where it is in the table's texts */
        uint64_t number;
        int64_t integer;
        double real;
    } u;
};

struct table {
    struct table_to *to;
    const char *title;
    struct table_column *columns;
    uint32_t column_count, column_capacity;
    struct table_cell *cells; /* of rows that wait */
    uint32_t cell_count, cell_capacity;
    char *texts;
    uint32_t texts_used, texts_size, row_texts; /* the last: before the row that is being put */
    uint32_t rows;                              /* that were put, and that this form has */
    uint32_t limit;                             /* 0: none */
    uint8_t forms;                              /* of the row that is being put */
    bool is_open;                               /* the head is written */
    int32_t sort;                               /* column, -1: none */
    int error;                                  /* 0 or -ENOMEM */
};

/* "name" is the table's in JSON; "title" a line above it for people, or NULL; "limit" the rows that people see,
 * 0: all. Columns come next, then rows. */
void table_begin(struct table *table, struct table_to *to, const char *name, const char *title,
                 uint32_t limit);
/* Strings live until the end of the table. */
void table_columns(struct table *table, const struct table_column *columns, size_t count);
/* The next row, for the forms that are named; its cells follow. */
void table_row(struct table *table, unsigned forms);
void table_text(struct table *table, const char *text);
void table_number(struct table *table, uint64_t number);
void table_integer(struct table *table, int64_t integer);
void table_real(struct table *table, double real);
/* An empty cell. */
void table_nothing(struct table *table);
/* Writes waiting rows, and frees. Returns the number of rows of this form, or -ENOMEM. "out" keeps its errors. */
int64_t table_end(struct table *table);
/* The same; people read "nothing" where there is no row. Returns 0 or -ENOMEM. */
int table_end_or(struct table *table, const char *nothing);

/* A JSON document of tables: its first lines, and its last ones. Nothing in other forms. */
void table_document(struct table_to *to);
void table_document_end(struct table_to *to);
/* Writes the next key of the document, for a value that is no table; the caller writes the value. */
void table_document_key(struct table_to *to, const char *key);

/* Prints a text for people: at most "columns" characters, with two points at the end if it is cut, and '?' for
 * characters that would move a terminal's cursor. Returns the width. */
size_t table_print_text(FILE *out, const char *text, size_t columns);

#endif
