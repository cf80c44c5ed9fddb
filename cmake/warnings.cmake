# The warnings that every part of kymo is compiled with, by gcc and by clang.
# They are errors in the presets and in CI (KYMO_WERROR), not for those who only build the project.
option(KYMO_WERROR "Treat warnings as errors" OFF)

set(KYMO_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Wstrict-prototypes
    -Wmissing-prototypes -Wcast-qual -Wdouble-promotion -Wvla -fno-common
    CACHE INTERNAL "")

function(kymo_warnings target)
    target_compile_options(${target} PRIVATE
        ${KYMO_WARNINGS} $<$<BOOL:${KYMO_WERROR}>:-Werror>)
endfunction()
