# SPDX-License-Identifier: MIT
# hostlink as a program, and the runtime as sources: it is compiled with each firmware's own flags.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KYMO_SHARE ${CMAKE_INSTALL_DATADIR}/kymo)
install(TARGETS hostlink RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_BINARY_DIR}/hostlink/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES hostlink/completion/hostlink.bash RENAME hostlink
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# The second is where Debian's zsh looks for what packages bring.
foreach(folder site-functions vendor-completions)
    install(FILES hostlink/completion/_hostlink DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
install(FILES hostlink/completion/hostlink.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY runtime ports zephyr DESTINATION ${KYMO_SHARE}) # zephyr: so that it is a module of Zephyr, too
install(DIRECTORY hostlink DESTINATION ${KYMO_SHARE}
    FILES_MATCHING PATTERN "*.[ch]" PATTERN pipeline.cmake REGEX "client/CMakeLists.txt$")
install(FILES cmake/warnings.cmake cmake/iree.cmake DESTINATION ${KYMO_SHARE}/cmake)
install(FILES LICENSE DESTINATION ${KYMO_SHARE})

install(FILES cmake/TracyConfig.cmake cmake/TracyConfigVersion.cmake DESTINATION ${KYMO_SHARE}/tracy)

configure_package_config_file(cmake/kymoConfig.cmake.in ${CMAKE_BINARY_DIR}/kymoConfig.cmake
    INSTALL_DESTINATION ${KYMO_SHARE}/cmake
    PATH_VARS KYMO_SHARE)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kymoConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/kymoConfig.cmake ${CMAKE_BINARY_DIR}/kymoConfigVersion.cmake
    DESTINATION ${KYMO_SHARE}/cmake)

# The package of Debian, which hostlink/packaging/release.sh makes.
install(FILES hostlink/packaging/70-kymo.rules DESTINATION lib/udev/rules.d)
set(CPACK_PACKAGE_NAME kymo)
set(CPACK_PACKAGE_VENDOR kymo)
set(CPACK_PACKAGE_CONTACT "kymo <kymo@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
