/* SPDX-License-Identifier: MIT */
/* The contract test begins as the boards do, with another main. */
#define main check
#define board_exit machine_finish
#include "../../../boards/common/x86/start.S"
