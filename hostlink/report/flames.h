/* SPDX-License-Identifier: MIT */
/* The flame graphs of the report: time by zones, samples by functions, memory by allocations. */
#ifndef HOSTLINK_REPORT_FLAMES_H
#define HOSTLINK_REPORT_FLAMES_H

#include "report/names.h"
#include "sink/profile.h"

/* A frame smaller than this part of its graph is counted with its parent. */
#define FLAMES_LEAST 4000u

/* A JSON array of graphs, each {"of", "left_out", "nodes": [[parent, name, amount] ...]}: "of" is "zones",
 * "samples" or "memory", "parent" an index into the nodes or -1, "name" one of "names", "amount" that of the node
 * itself: ns, samples where their rate is not known, bytes. 0 or -ENOMEM. */
int flames_write(const struct profile *profile, struct report_names *names, struct outfile *out);

#endif
