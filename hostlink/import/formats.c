/* SPDX-License-Identifier: MIT */
#include "import/import.h"

extern const struct import_format import_chrome, import_execlog;

const struct import_format *const import_formats[] = {&import_chrome, &import_execlog, NULL};
