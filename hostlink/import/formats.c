/* SPDX-License-Identifier: MIT */
#include "import/import.h"

extern const struct import_format import_chrome, import_execlog, import_pprof, import_folded,
    import_svdat, import_btf, import_zephyr;

/* In the order in which a file is tried. */
const struct import_format *const import_formats[] = {
    &import_chrome, &import_execlog, &import_svdat,  &import_btf,
    &import_zephyr, &import_pprof,   &import_folded, NULL};
