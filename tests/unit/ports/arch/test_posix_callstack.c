/* SPDX-License-Identifier: MIT */
/* Call stacks under an operating system, by the test of the contract that each emulated core passes. */
#include "contract.h"

int main(void) { return callstack_check(); }
