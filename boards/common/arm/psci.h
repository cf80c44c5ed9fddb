/* SPDX-License-Identifier: MIT */
/* Between psci.c and start.S. */
#ifndef ARM_PSCI_H
#define ARM_PSCI_H

#include <stdint.h>

/* 1 if core 0 was started at level 1, where HVC calls PSCI; otherwise SMC does. */
extern uint32_t core_under_hypervisor;
#endif
