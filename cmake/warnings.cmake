# SPDX-License-Identifier: MIT
# The warnings that every part of kymo is compiled with, by gcc and by clang.
# They are errors in the presets and in CI (KYMO_WERROR), not for users who only build the project.
option(KYMO_WERROR "Treat warnings as errors" OFF)

set(KYMO_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-qual -Wdouble-promotion -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes> -fno-common
    CACHE INTERNAL "")

function(kymo_warnings target)
    target_compile_options(${target} PRIVATE
        ${KYMO_WARNINGS} $<$<BOOL:${KYMO_WERROR}>:-Werror>)
endfunction()
