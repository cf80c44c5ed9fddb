# End to end: the board's image in its emulator, through hostlink, judged on what arrives.
foreach(link IN LISTS BOARD_LINK)
    kymo_script_test(e2e.${KYMO_BOARD}.${link}
        tests/e2e/${link}.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/build/host/hostlink/hostlink)
    set_tests_properties(e2e.${KYMO_BOARD}.${link} PROPERTIES RUN_SERIAL ON)
endforeach()
