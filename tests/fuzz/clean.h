/* SPDX-License-Identifier: MIT */
/* Text that came from outside and is shown. */
#ifndef FUZZ_CLEAN_H
#define FUZZ_CLEAN_H

/* Ends the program, and says "what", if it is no text for a terminal: UTF-8 without control characters. */
void must_be_clean(const char *text, const char *what);

#endif
