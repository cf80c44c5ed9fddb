/* SPDX-License-Identifier: MIT */
#include "nuttx/sched.h"
