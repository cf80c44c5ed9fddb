# SPDX-License-Identifier: MIT
# Writes OUT, a header with the commit of SOURCE, if it differs: COMMIT, or git's, "" where there is no repository.
if(COMMIT STREQUAL "")
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=+ --abbrev=12 --exclude=*
        OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "#define HOSTLINK_COMMIT \"${COMMIT}\"\n")
set(before "")
if(EXISTS ${OUT})
    file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
    file(WRITE ${OUT} "${text}")
endif()
