/* Buffered output to a file that is whole or plainly is not: the bytes go to "PATH.part", which
 * takes the name PATH only when all of it is written. "-" is standard output, written directly. */
#ifndef HOSTLINK_OUTFILE_H
#define HOSTLINK_OUTFILE_H

#include <stddef.h>
#include <stdint.h>

struct outfile;

/* 0 or -errno. */
int outfile_open(struct outfile **out, const char *path);
/* Errors are kept and returned by every later call and by close. */
int outfile_write(struct outfile *out, const void *bytes, size_t length);
int outfile_printf(struct outfile *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What was written is not all, for a reason outside of the file: keeps "error" (-errno) like one of
 * a write, unless there is one already. Returns the error kept. */
int outfile_fail(struct outfile *out, int error);
/* Flushes, renames, frees. On an error the part file stays and 'PATH' is not touched. */
int outfile_close(struct outfile *out);

#endif
