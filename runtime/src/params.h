/* The parameters among the sites. */
#ifndef KYMO_PARAMS_H
#define KYMO_PARAMS_H

#include "lane.h"

#if KYMO_NAMES

static inline bool kymo_is_param(const struct kymo_site *site) {
    return site->kind == KYMO_SITE_PARAM;
}

static inline struct kymo_param *kymo_param_of(const struct kymo_site *site) { return site->param; }

#else

static inline const struct kymo_param_place *kymo_param_place(const struct kymo_site *site) {
    const struct kymo_param_place *place = __start_kymo_params;
    while (place != __stop_kymo_params && place->site != site) {
        place++;
    }
    return place;
}

static inline bool kymo_is_param(const struct kymo_site *site) {
    return kymo_param_place(site) != __stop_kymo_params;
}

static inline struct kymo_param *kymo_param_of(const struct kymo_site *site) {
    return kymo_param_place(site)->param;
}

#endif

#endif
