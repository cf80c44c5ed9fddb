/* SPDX-License-Identifier: MIT */
/* The release of the runtime, for INFO packets. */
#ifndef KYMO_VERSION_H
#define KYMO_VERSION_H

#define KYMO_RUNTIME_VERSION "0.1.0"

#endif
