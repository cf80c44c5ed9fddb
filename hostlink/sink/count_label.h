/* SPDX-License-Identifier: MIT */
/* The outputs' name for an event that the core counted in a zone. The firmware chooses the name, and outputs write it
 * beside values of the zone: an event called "cycles" must not hide the cycles. */
#ifndef HOSTLINK_COUNT_LABEL_H
#define HOSTLINK_COUNT_LABEL_H

/* The name, or "NAME (event)" if another value of a zone has that name. Lives as long as "name". */
const char *count_label(const char *name);

#endif
