/* SPDX-License-Identifier: MIT */
/* The parameters among the sites. "index" counts the entries to search for them: all sites, or, where
 * these are in no memory, a table of the parameters alone. */
#ifndef KYMO_PARAMS_H
#define KYMO_PARAMS_H

#include "../ring/lane.h"

#if KYMO_NAMES

static inline uint32_t kymo_param_count(void) {
    return (uint32_t)(__stop_kymo_sites - __start_kymo_sites);
}

static inline const struct kymo_site *kymo_param_site(uint32_t index) {
    return &__start_kymo_sites[index];
}

/* NULL: not a parameter. */
static inline struct kymo_param *kymo_param_at(uint32_t index) {
    const struct kymo_site *site = &__start_kymo_sites[index];
    return site->kind == KYMO_SITE_PARAM ? site->param : NULL;
}

/* The parameter of a site's number; not below the count: not found. */
static inline uint32_t kymo_param_find(uint32_t site) { return site; }

#else

static inline uint32_t kymo_param_count(void) {
    return (uint32_t)(__stop_kymo_params - __start_kymo_params);
}

static inline const struct kymo_site *kymo_param_site(uint32_t index) {
    return __start_kymo_params[index].site;
}

static inline struct kymo_param *kymo_param_at(uint32_t index) {
    return __start_kymo_params[index].param;
}

static inline uint32_t kymo_param_find(uint32_t site) {
    uint32_t index = 0u;
    while (index < kymo_param_count() &&
           (uint32_t)(kymo_param_site(index) - __start_kymo_sites) != site) {
        index++;
    }
    return index;
}

#endif

#endif
