/* SPDX-License-Identifier: MIT */
/* The page of the report as the build has it from page/: what stands before the data of a capture, and after. */
#ifndef HOSTLINK_REPORT_PAGE_H
#define HOSTLINK_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char report_page_head[], report_page_tail[];
extern const size_t report_page_head_size, report_page_tail_size;

#endif
