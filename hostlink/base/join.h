/* Texts one behind the other, where printf() is too slow: it takes as long as all else of an event. */
#ifndef HOSTLINK_JOIN_H
#define HOSTLINK_JOIN_H

#include <stddef.h>

/* Up to a NULL, cut to "size" with the NUL, which is always there. */
void join(char *out, size_t size, const char *const *texts);

#endif
