/* SPDX-License-Identifier: MIT */
/* The contract between the demo and a board: what boards/<name>/board.c implements, and the sizes that
 * boards/<name>/board_config.h chooses. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "board_config.h"
#include "kymo/transport.h"

/* Cores that the demo uses: 1 (network and sensor loop interleaved) or 2 (one each). */
#ifndef BOARD_CORES
#error "board_config.h must define BOARD_CORES"
#endif
/* Images that the network looks at, and cycles of 256 steps, one each 2 ms, of the sensor loop. */
#if !defined(DEMO_IMAGES) || !defined(DEMO_SENSOR_CYCLES)
#error "board_config.h must define DEMO_IMAGES and DEMO_SENSOR_CYCLES"
#endif
/* With N, an Nth of both, for tests. */
#ifndef DEMO_SHARE
#define DEMO_SHARE 1
#endif
/* The network: side of its square image in pixels, and channels of its first layer. The stored sums
 * know two sizes, see sums.h: 96 with 16 (125 KiB of RAM) and 32 with 4 (8 KiB). */
#if !defined(DEMO_IMAGE_SIDE) || !defined(DEMO_CHANNELS)
#error "board_config.h must define DEMO_IMAGE_SIDE and DEMO_CHANNELS"
#endif

/* With 1 the demo begins when the host has set the parameter "sensor.plot_every". */
#ifndef DEMO_WAITS
#define DEMO_WAITS 0
#endif

/* Sets up clocks, pins and the transport. The first call, on core 0. */
void board_init(void);

/* The way out for the trace and the text. */
const struct kymo_transport *board_transport(void);

/* Calls "tick" 1000 times a second from an interrupt of core 0, until stopped. After
 * board_timer_stop() it is not running and will not run again. Both on core 0. */
void board_timer_start(void (*tick)(void));
void board_timer_stop(void);

/* In the tick: the next one comes so many ticks of kymo's clock from now, and later ones each millisecond from
 * there on. Boards whose timer has one period need not have it. */
void board_timer_in(uint32_t ticks);

/* The context that the tick interrupted, for kymo_sample(), in the tick. Not needed where the arch port knows it. */
struct kymo_interrupted;
const struct kymo_interrupted *board_interrupted(void);

/* Milliseconds since board_timer_start(), from any core. Wraps. Stands still when stopped. */
uint32_t board_ticks(void);

/* Runs "entry" on another core (below BOARD_CORES), once; the core sleeps for ever when it returns.
 * Its earlier writes are visible there. False if the machine has no such core, where the board
 * can tell. Boards of one core need not have it. */
bool board_start_core(unsigned core, void (*entry)(void));

/* Sleeps until something may have happened, at most about a millisecond. From any core. */
void board_idle(void);

/* Waits until the transport has sent what it took, then ends: 0 is success. An emulated board exits
 * with that status; a real one stops. */
_Noreturn void board_exit(int status);

#endif
