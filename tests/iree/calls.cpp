/* SPDX-License-Identifier: MIT */
#define SAY(text) "cpp " text
#define SAY_BYTES(text) (sizeof "cpp " text - 1u)
#define SAY_ADDRESS(text) (reinterpret_cast<intptr_t>(text))
#include "calls.h"

/* A function that several files may contain, and one that is made for each type. */
inline void scope() {
    IREE_TRACE_SCOPE();
    IREE_TRACE_ZONE_APPEND_TEXT(IREE_TRACE_SCOPE_ID, "of a scope");
    IREE_TRACE_ZONE_APPEND_VALUE_I64(IREE_TRACE_SCOPE_ID, 9);
}

template <class T> static T scope_of(T value) {
    IREE_TRACE_SCOPE_NAMED("cpp scope");
    return value;
}

template <class T> static T scope_in(T value) {
    const auto scoped = [value] {
        IREE_TRACE_SCOPE_NAMED("cpp lambda");
        return value;
    };
    return scoped();
}

int calls_cxx(void) {
    scope();
    if (scope_of(1) != scope_in(1) || scope_of('a') != scope_in('a')) {
        return 3;
    }
    return all_calls();
}
