/* SPDX-License-Identifier: MIT */
#include "base/kinds.h"

const struct kind kind_table[256] = {
#define KIND_ROW(name, number, reference, payload, role, word)                                     \
    [number] = {#name,           word, number, KYMO_REFERENCE_##reference, KYMO_CARRIES_##payload, \
                KYMO_ROLE_##role},
    KYMO_KINDS(KIND_ROW)
#undef KIND_ROW
};
