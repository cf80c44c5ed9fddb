/* SPDX-License-Identifier: MIT */
/* Common to all headers with Tracy's names: TRACY_API, in front of functions; the parts of a source location;
 * and whether the markup records: with TRACY_ENABLE, unless kymo is off. */
#ifndef KYMO_TRACY_API_H
#define KYMO_TRACY_API_H

#ifndef TRACY_API
#define TRACY_API
#endif

#ifndef TracyFunction
#define TracyFunction __FUNCTION__
#endif
#ifndef TracyFile
#define TracyFile __FILE__
#endif
#ifndef TracyLine
#define TracyLine __LINE__
#endif

#ifdef TRACY_ENABLE
#include "kymo/config.h"
#if KYMO_ENABLE
#define KYMO_TRACY_ON 1
#endif
#endif

#endif
