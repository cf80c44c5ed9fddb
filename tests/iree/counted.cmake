# SPDX-License-Identifier: MIT
# In place of cmake/iree.cmake: the same provider, which also counts what it is called for (counted.c).
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/iree.cmake)
target_sources(kymo_iree PRIVATE ${CMAKE_CURRENT_LIST_DIR}/counted.c)
foreach(kymo_counted zone_begin zone_begin_stack zone_end zone_text zone_value zone_color plot_int plot_float plot_double
        plot_config frame tracy_fiber_enter message_text alloc alloc_stack free free_stack)
    target_link_options(kymo_iree INTERFACE -Wl,--wrap=kymo_${kymo_counted})
endforeach()
