/* SPDX-License-Identifier: MIT */
/* Fields of CSV (RFC 4180): in quotes where they hold a comma, a quote or a line end; after an apostrophe where a
 * spreadsheet would take them for a formula. */
#ifndef HOSTLINK_CSV_FIELD_H
#define HOSTLINK_CSV_FIELD_H

#include <stddef.h>
#include <stdio.h>

#include "sink/outfile.h"

void csv_field(struct outfile *out, const char *text, size_t length);
/* Always in quotes. */
void csv_print(FILE *out, const char *text);

#endif
