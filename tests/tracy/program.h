/* SPDX-License-Identifier: MIT */
/* The programs of Tracy's markup: each macro of TracyC.h and of Tracy.hpp, counted by expected.py. */
#ifndef TRACY_PROGRAM_H
#define TRACY_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif
void markup_c(void);
void markup_cxx(void);
/* Calls with wrong arguments to the macros. */
void markup_wrong(void);
#ifdef __cplusplus
}
#endif

#endif
