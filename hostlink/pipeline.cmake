# SPDX-License-Identifier: MIT
# From the bytes of a board to Tracy's viewers: what hostlink and a program that is its own host (client/) have in
# common. None of it prints, ends the process or starts another one. The list is in the cache so that a project above
# this one sees it too.
set(KYMO_HOSTLINK_FOLDER ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")
# The folders below platform/ for this system, with its headers "system/...": a file of the first
# one replaces the next one's.
if(WIN32)
    set(KYMO_HOST_FOLDERS windows CACHE INTERNAL "")
elseif(APPLE)
    set(KYMO_HOST_FOLDERS macos posix CACHE INTERNAL "")
else()
    set(KYMO_HOST_FOLDERS posix CACHE INTERNAL "")
endif()
# kymo_platform_files(<out> <pattern> ...): those files, from this folder on.
function(kymo_platform_files out)
    set(found)
    set(names)
    foreach(folder IN LISTS KYMO_HOST_FOLDERS)
        list(TRANSFORM ARGN PREPEND ${KYMO_HOSTLINK_FOLDER}/platform/${folder}/ OUTPUT_VARIABLE patterns)
        file(GLOB files RELATIVE ${KYMO_HOSTLINK_FOLDER} CONFIGURE_DEPENDS ${patterns})
        foreach(file IN LISTS files)
            get_filename_component(name ${file} NAME)
            if(NOT name IN_LIST names)
                list(APPEND names ${name})
                list(APPEND found ${file})
            endif()
        endforeach()
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()
kymo_platform_files(pipeline_platform clock.c file.c net.c poll.c sockets.c)
set(KYMO_PIPELINE_SOURCES
    base/grow.c
    base/intmap.c
    base/join.c
    base/keytable.c
    base/kinds.c
    base/liveset.c
    base/utf8.c
    base/whole_file.c
    clock/clock_rate.c
    clock/clock_wait.c
    clock/clock_watch.c
    clock/clockfit.c
    clock/host_epoch.c
    clock/host_fit.c
    clock/set_back.c
    device/device_clock.c
    device/device_records.c
    device/device_sites.c
    device/devices.c
    elf/call_frames.c
    elf/elf.c
    elf/functions.c
    model/blocks.c
    model/board_info.c
    model/board_watch.c
    model/clock_changes.c
    model/code_kept.c
    model/code_table.c
    model/continuity/event_numbers.c
    model/continuity/repeated_packets.c
    model/continuity/unread_packet.c
    model/event.c
    model/flows.c
    model/format.c
    model/frames.c
    model/functions.c
    model/large.c
    model/merge.c
    model/names.c
    model/names_from_elf.c
    model/object_events.c
    model/objects.c
    model/resolve.c
    model/tasks.c
    model/texts.c
    model/timeline.c
    model/timeline_rows.c
    model/tracks.c
    model/zones.c
    trace/dialogue.c
    trace/dispatch.c
    trace/params.c
    trace/pipeline.c
    trace/program_symbols.c
    trace/stray_text.c
    tracy/allocations.c
    tracy/callstacks.c
    tracy/cores.c
    tracy/encode.c
    tracy/encode_session.c
    tracy/frame_sets.c
    tracy/listen.c
    tracy/lobby.c
    tracy/gpu.c
    tracy/locks.c
    tracy/lz4.c
    tracy/names.c
    tracy/picture.c
    tracy/pictures.c
    tracy/proto.c
    tracy/published.c
    tracy/query.c
    tracy/repair.c
    tracy/server.c
    tracy/session.c
    tracy/source_code.c
    tracy/stream.c
    tracy/tracks.c
    tracy/viewer.c
    ${pipeline_platform}
    wire/command.c
    wire/compose.c
    wire/decode.c
    wire/fields.c
    wire/guard.c
    wire/unpack.c
    CACHE INTERNAL "")
