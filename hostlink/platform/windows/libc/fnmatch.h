/* SPDX-License-Identifier: MIT */
/* POSIX fnmatch(), without flags and classes of characters by name. */
#ifndef HOSTLINK_PLATFORM_FNMATCH_H
#define HOSTLINK_PLATFORM_FNMATCH_H

#define FNM_NOMATCH 1
int fnmatch(const char *pattern, const char *text, int flags);

#endif
