/* SPDX-License-Identifier: MIT */
/* The counter of this hart: where it stands, read just now. In front of each file of this image. */
#ifndef CORES_COUNTER_H
#define CORES_COUNTER_H

#ifndef __ASSEMBLER__
#include <stdint.h>
uintptr_t cores_counter(void);
#endif

#endif
