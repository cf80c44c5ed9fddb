# SPDX-License-Identifier: MIT
# The Zephyr module, against a model of the part of Zephyr that it uses.
set(zephyr ${CMAKE_SOURCE_DIR}/ports/rtos/zephyr)

kymo_unit_from(zephyr_uart test_zephyr_uart.c ${zephyr}/uart.c
    INCLUDES runtime/include ports/transport ports/rtos/zephyr tests/unit/zephyr
    DEFINITIONS CONFIG_KYMO_UART_SEND_BYTES=1024)

# On two CPUs of 64 bits, on two of 32 bits with a wide counter, and on one of 32 bits with a counter that wraps.
set(of_64 KYMO_LANES=2 CONFIG_MP_MAX_NUM_CPUS=2 CONFIG_64BIT CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER)
set(stacks CONFIG_THREAD_STACK_INFO CONFIG_INIT_STACKS CONFIG_THREAD_NAME)
set(of_32x2 KYMO_LANES=2 CONFIG_MP_MAX_NUM_CPUS=2 CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER)
set(of_32 KYMO_LANES=1 CONFIG_MP_MAX_NUM_CPUS=1)
foreach(bits 64 32x2 32)
    set(with_${bits} ${of_${bits}})
    if(bits EQUAL 64)
        list(APPEND with_64 ${stacks})
    endif()
    kymo_unity_runtime(runtime_zephyr_${bits} ARCH ${zephyr}
        DEFINITIONS ${with_${bits}} CONFIG_KYMO_CLOCK_HZ=0 KYMO_LATENCY_MS=0 KYMO_CONTEXTS=16 KYMO_TASKS=8
            CONFIG_KYMO_KERNEL CONFIG_KYMO_LEVELS CONFIG_SYS_CLOCK_EXISTS CONFIG_SYS_CLOCK_TICKS_PER_SEC=100)
    target_include_directories(runtime_zephyr_${bits} PUBLIC
        ${CMAKE_CURRENT_SOURCE_DIR}/zephyr INTERFACE ${CMAKE_SOURCE_DIR}/runtime/src)
    kymo_unit_from(zephyr_kernel_${bits} test_zephyr_kernel.c trace.c
        ${zephyr}/kernel.c ${zephyr}/identity.c ${zephyr}/interrupts.c ${zephyr}/clock.c
        LIBRARIES runtime_zephyr_${bits} test_witness DEFINITIONS CONFIG_KYMO_REUSED_THREADS=16)
    target_include_directories(test_zephyr_kernel_${bits} BEFORE PRIVATE ${zephyr}/hooks)
endforeach()

# Walks its own stack, in which it plays those of threads and interrupts.
if(NOT KYMO_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64")
    kymo_unity_runtime(runtime_zephyr_stacks ARCH ${zephyr}
        DEFINITIONS ${of_64} CONFIG_KYMO_CLOCK_HZ=0 KYMO_LATENCY_MS=0 CONFIG_KYMO_CALLSTACKS=1
            CONFIG_THREAD_STACK_INFO=1 CONFIG_ISR_STACK_SIZE=4096 KYMO_CALLSTACKS=8)
    target_include_directories(runtime_zephyr_stacks PUBLIC
        ${CMAKE_CURRENT_SOURCE_DIR}/zephyr INTERFACE ${CMAKE_SOURCE_DIR}/runtime/src)
    kymo_unit_from(zephyr_stacks test_zephyr_stacks.c trace.c ${zephyr}/stack.c
        LIBRARIES runtime_zephyr_stacks test_witness)
endif()

set(sender CONFIG_KYMO_UART_SEND_BYTES=1024 CONFIG_KYMO_IMAGE="model" CONFIG_KYMO_KERNEL ${stacks}
    CONFIG_KYMO_THREAD_PERIOD_MS=5 CONFIG_KYMO_THREAD_STACK_BYTES=1024 CONFIG_KYMO_THREAD_PRIORITY=14
    CONFIG_KYMO_WAY_UART)
kymo_unity_runtime(runtime_zephyr_sender ARCH ${zephyr} DEFINITIONS ${of_32} CONFIG_KYMO_CLOCK_HZ=0)
target_include_directories(runtime_zephyr_sender PUBLIC
    ${CMAKE_CURRENT_SOURCE_DIR}/zephyr INTERFACE ${CMAKE_SOURCE_DIR}/runtime/src)
kymo_unit_from(zephyr_sender test_zephyr_sender.c trace.c ${zephyr}/uart.c ${zephyr}/clock.c
    LIBRARIES runtime_zephyr_sender test_witness
    INCLUDES ports/rtos/zephyr ports/rtos/zephyr/include ports/transport DEFINITIONS ${sender})
