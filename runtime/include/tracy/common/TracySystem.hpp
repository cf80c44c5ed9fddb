/* SPDX-License-Identifier: MIT */
/* Names of threads. */
#ifndef KYMO_TRACY_SYSTEM_HPP
#define KYMO_TRACY_SYSTEM_HPP

#include <stdint.h>

#include "tracy/common/TracyApi.h"

#ifdef KYMO_TRACY_ON
#include "kymo/tracy.h"
#endif

namespace tracy {

inline void SetThreadName(const char *name) {
#ifdef KYMO_TRACY_ON
    kymo_tracy_thread_name(name);
#else
    (void)name;
#endif
}
/* The hint is not used: viewers group threads by the core that they run on. */
inline void SetThreadNameWithHint(const char *name, int32_t groupHint) {
    (void)groupHint;
    SetThreadName(name);
}
/* Threads have no numbers here, and no names that could be asked for. */
inline uint32_t GetThreadHandle() { return 0u; }
inline const char *GetThreadName(uint32_t id) {
    (void)id;
    return "";
}

} // namespace tracy

#endif
