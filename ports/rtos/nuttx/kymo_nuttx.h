/* SPDX-License-Identifier: MIT */
/* NuttX: kymo's calls for the application. README.md says how to build it. */
#ifndef KYMO_NUTTX_H
#define KYMO_NUTTX_H

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel thread that sends the recorded events: kthread_create("trace", 1, 2048, kymo_nuttx_trace, NULL). */
int kymo_nuttx_trace(int argc, char *argv[]);

#ifdef __cplusplus
}
#endif

#endif
