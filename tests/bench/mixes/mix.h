/* SPDX-License-Identifier: MIT */
/* One round of each program of the bench. Included twice, with RECORD(x) as x and as nothing, so that the instructions
 * of the program itself can be subtracted. MIX(name) names each function. */

/* S: one zone that repeats, at equal distances. */
static void MIX(repeated)(void) {
    for (uint32_t i = 0u; i < 8u; i++) {
        RECORD(const kymo_zone zone = kymo_zone_begin(zones[0]));
        pass(100u, 1u);
        RECORD(kymo_zone_end(zone));
        pass(50u, 1u);
    }
}

/* Z: zones in zones, with times that vary. */
static void MIX(nested)(void) {
    pass(100u, 60u);
    RECORD(const kymo_zone outer = kymo_zone_begin(zones[0]));
    for (uint32_t i = 1u; i < 3u; i++) {
        pass(30u, 60u);
        RECORD(const kymo_zone middle = kymo_zone_begin(zones[i]));
        pass(30u * i, 60u);
        RECORD(const kymo_zone inner = kymo_zone_begin(zones[3]));
        pass(50u, 60u);
        RECORD(kymo_zone_end(inner));
        pass(20u, 60u);
        RECORD(kymo_zone_end(middle));
    }
    pass(60u, 60u);
    RECORD(kymo_zone_end(outer));
}

/* P: zones at 40 places by chance. */
static void MIX(scattered)(void) {
    for (uint32_t i = 0u; i < 8u; i++) {
        pass(0u, 1000u);
        const uint32_t at = any(ZONES);
        RECORD(const kymo_zone zone = kymo_zone_begin(zones[at]));
        pass(20u, 1000u);
        RECORD(kymo_zone_end(zone));
        (void)at;
    }
}

/* R: four tasks in turn after a timer's interrupt, with locks, memory, plots and messages. */
static void MIX(tasks)(void) {
    const uint32_t task = turn++ % 4u;
    pass(400u, 320u);
    RECORD(const kymo_context before = kymo_interrupt_enter((kymo_context)&timer));
    pass(60u, 40u);
    RECORD(const kymo_zone tick = kymo_zone_begin(zones[7]));
    pass(100u, 40u);
    RECORD(kymo_zone_end(tick));
    pass(30u, 40u);
    RECORD(kymo_interrupt_leave(before));
    pass(30u, 40u);
    RECORD((void)kymo_context_switch((kymo_context)&tasks[task]));
    pass(40u, 40u);
    RECORD(const kymo_zone work = kymo_zone_begin(zones[task]));
    if (task < 2u) {
        pass(30u, 40u);
        RECORD(kymo_object_event(KYMO_KIND_LOCK_WAIT, (uintptr_t)&locks[task]));
        pass(25u, 40u);
        RECORD(kymo_object_event(KYMO_KIND_LOCK_OBTAIN, (uintptr_t)&locks[task]));
        pass(200u, 40u);
        RECORD(kymo_object_event(KYMO_KIND_LOCK_RELEASE, (uintptr_t)&locks[task]));
    }
    if (task == 1u) {
        const struct object *const block = &blocks[turn / 4u % 8u];
        pass(60u, 40u);
        RECORD(kymo_alloc(&pool, block, 32u));
        pass(300u, 40u);
        RECORD(kymo_free(&pool, block));
        (void)block;
    } else if (task == 3u) {
        const uint32_t value = any(100u);
        RECORD(KYMO_MESSAGE("value %u of %u", (unsigned)value, (unsigned)task));
        (void)value;
    } else {
        const uint32_t value = any(21u);
        RECORD(kymo_plot_int(task == 0u ? &level : &speed, 1000 + (int64_t)value));
        (void)value;
    }
    pass(80u, 160u);
    RECORD(kymo_zone_end(work));
}
