# While the tree grows: leaves out, with a warning, the sources of a list that are not written yet.
macro(kymo_present list folder)
    foreach(source IN LISTS ${list})
        if(NOT EXISTS ${folder}/${source})
            message(WARNING "not written yet: ${folder}/${source}")
            list(REMOVE_ITEM ${list} ${source})
        endif()
    endforeach()
endmacro()
