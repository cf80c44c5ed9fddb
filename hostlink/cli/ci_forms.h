/* SPDX-License-Identifier: MIT */
/* The results of a check in the forms that servers of CI read as files. */
#ifndef HOSTLINK_CI_FORMS_H
#define HOSTLINK_CI_FORMS_H

#include "cli/checked.h"

/* Each writes the file whole or not at all. False, with a message, if it cannot. */
bool ci_sarif(const struct checked *checked, const char *budget, const char *path);
/* Values only: Bencher and github-action-benchmark judge them themselves. Values that are no finite number are left
 * out; of equal names, for example an interrupt's on two cores, the worst value counts. */
bool ci_bencher(const struct checked *checked, const char *path);
bool ci_github_benchmark(const struct checked *checked, const char *path);

#endif
