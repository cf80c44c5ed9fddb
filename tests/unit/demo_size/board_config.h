/* SPDX-License-Identifier: MIT */
/* For test_demo.c: the sizes are given to the compiler, as the test is built once for each. */
#define BOARD_CORES 1
