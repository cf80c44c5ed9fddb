/* SPDX-License-Identifier: MIT */
/* Where sources that name Tracy's own files look for it. */
#include "tracy/Tracy.hpp"
