/* SPDX-License-Identifier: MIT */
/* Configuration for boards/common/x86. CHECK_SECOND_CORE: the first core starts another one, which runs the test. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#ifdef CHECK_SECOND_CORE
#define BOARD_CORES 2
#else
#define BOARD_CORES 1
#endif
#define BOARD_STACK_BYTES 16384 /* of one core */

#endif
