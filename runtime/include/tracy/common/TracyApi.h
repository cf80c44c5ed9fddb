/* TRACY_API, in front of functions; and whether Tracy's markup records: with TRACY_ENABLE, unless kymo is off. */
#ifndef KYMO_TRACY_API_H
#define KYMO_TRACY_API_H

#ifndef TRACY_API
#define TRACY_API
#endif

#ifdef TRACY_ENABLE
#include "kymo/config.h"
#if KYMO_ENABLE
#define KYMO_TRACY_ON 1
#endif
#endif

#endif
