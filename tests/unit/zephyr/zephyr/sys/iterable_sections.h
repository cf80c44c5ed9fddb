/* SPDX-License-Identifier: MIT */
/* As kernel.h has it. */
