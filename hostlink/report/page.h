/* SPDX-License-Identifier: MIT */
/* The pages that the build makes from page/: the parts before and after the data. */
#ifndef HOSTLINK_REPORT_PAGE_H
#define HOSTLINK_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char report_page_head[], report_page_tail[];
extern const size_t report_page_head_size, report_page_tail_size;
extern const unsigned char compare_page_head[], compare_page_tail[];
extern const size_t compare_page_head_size, compare_page_tail_size;

#endif
