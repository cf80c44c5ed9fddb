/* SPDX-License-Identifier: MIT */
/* The include paths that sources have used over the years: each finds the headers, alone. Only compiled. */
#include KYMO_PATH
