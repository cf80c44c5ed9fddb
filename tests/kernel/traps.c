/* SPDX-License-Identifier: MIT */
/* The traps into which the hooks of real kernels lead, each played by tasks of its own, whose names begin with its
 * number; then the worst cases for a kernel's tasks. The kernel's own counts go out over semihosting at the end:
 * a second way, without kymo. The emulator writes the words at CHOICE before the start. */
#include "board.h"
#include "kernel.h"
#include "kymo/kymo.h"
#include "riscv/semihosting.h"

#define CHOICE ((volatile uint32_t *)(uintptr_t)0x87000000u) /* RAM after the image */
enum { CORES, SCENE, DRAIN_MS };
enum { TRAPS, LATE, WORST }; /* scenes */
#define ROUNDS 20u
#define LIVES 40u
#define MS (BOARD_MTIME_HZ / 1000u)

enum { QUEUE = 0x20001000, STREAM = 0x20002000, SEMAPHORE = 0x20003000 };

static struct task *reader, *urgent, *sleeper;
static struct lock bus, other;
static volatile bool is_over;

/* ---- 1 and 6: a stream's call waits by a notification, and may be preempted before it does ---- */

static void wake_urgent(void) {
    device_enter();
    device_wake(urgent);
    device_leave();
}

static void urgent_task(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        task_wait(KYMO_WHY_SEMAPHORE, SEMAPHORE, 0u);
        task_work(50u);
    }
}

static void receive(bool is_preempted) {
    kymo_arch_state state = kernel_lock();
    kymo_task_why_of_call(KYMO_WHY_EMPTY, STREAM);
    kernel_unlock(state);
    if (is_preempted) {
        device_raise(wake_urgent);
    }
    task_wait_of_call(KYMO_WHY_EMPTY);
    state = kernel_lock();
    kymo_task_why_ends();
    kernel_unlock(state);
}

static void preempted_reader(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        receive(true);
    }
}

static void calm_reader(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        receive(false);
        task_wait(KYMO_WHY_NOTIFICATION, 0u, 0u);
    }
}

static void writer(void) {
    struct task *const to = reader;
    const struct counts *const life = task_life(to);
    while (!task_is_over(to, life)) {
        task_wake(to);
        task_work(30u);
    }
}

/* ---- 2: an interrupt under a suspended scheduler ---- */

static void put_into_queue(void) {
    device_enter();
    device_put(reader, QUEUE, 1u);
    device_leave();
}

static void queue_reader(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        task_wait(KYMO_WHY_EMPTY, QUEUE, 0u);
    }
}

static void suspender(void) {
    struct task *const to = reader;
    const struct counts *const life = task_life(to);
    while (!task_is_over(to, life)) {
        kernel_suspend();
        if (task_waits_for(to, KYMO_WHY_EMPTY)) {
            device_raise(put_into_queue);
        }
        task_work(100u);
        kernel_resume();
    }
}

/* ---- 3: inheritance ---- */

static void high_task(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        task_delay(1u);
        lock_take(&bus);
        lock_give(&bus);
    }
}

static void low_task(void) {
    struct task *const with = urgent;
    const struct counts *const life = task_life(with);
    while (!task_is_over(with, life)) {
        lock_take(&bus);
        task_work(MS);
        lock_give(&bus);
    }
}

/* ---- 4: an interrupt without a hook; 5: exits without an entry, nested in the tick ---- */

static void wake_unhooked(void) { device_wake_unhooked(sleeper); }

static void lone_exit(void) {
    kymo_irq_leave(KERNEL_DEVICE);
    device_enter();
    device_wake(sleeper);
    device_leave();
    kymo_irq_leave(KERNEL_DEVICE);
}

static void sleeper_task(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        task_wait(KYMO_WHY_SEMAPHORE, SEMAPHORE, 0u);
    }
}

static void bystander(void (*how)(void (*handler)(void)), void (*handler)(void)) {
    const struct counts *const life = task_life(sleeper);
    while (!task_is_over(sleeper, life)) {
        how(handler);
        task_work(100u);
    }
}
static void bystander_unhooked(void) { bystander(device_raise, wake_unhooked); }
static void bystander_in_tick(void) { bystander(device_raise_in_tick, lone_exit); }

/* ---- 7: each reason, and none ---- */

static void waits_for_all(void) {
    for (uint32_t why = KYMO_WHY_DELAY; why < KYMO_WHY_OVER; why++) {
        if (why != KYMO_WHY_JOIN && why != KYMO_WHY_LOCK) {
            task_wait((enum kymo_why)why, why == KYMO_WHY_FULL ? QUEUE : 0u, 2u);
        }
    }
    task_wait_untold();
}

static void wakes_untold(void) {
    struct task *const task = reader;
    const struct counts *const life = task_life(task);
    while (!task_is_over(task, life)) {
        task_delay(1u);
        if (task_waits_for(task, KYMO_WHY_UNKNOWN)) {
            task_wake(task);
        }
    }
}

/* ---- 8: mutexes that are given at their creation ---- */

static void maker(void) {
    static struct lock made[3];
    lock_take(&other);
    for (uint32_t i = 0u; i < 3u; i++) {
        lock_create(&made[i], "made", true);
    }
    lock_give(&other);
    for (uint32_t i = 0u; i < 3u; i++) {
        lock_take(&made[i]);
        lock_give(&made[i]);
    }
}

/* ---- 9: lives in control blocks that are used again at once ---- */

static void interrupted(void) {
    device_enter();
    device_leave();
}

static void brief(void) {
    task_work(20u);
    task_end(interrupted);
}

/* ---- 10: a timer's task wakes those that sleep; a priority changes while the task is ready ---- */

static void timer_task(void) {
    struct task *const task = sleeper;
    const struct counts *const life = task_life(task);
    while (!task_is_over(task, life)) {
        task_delay(1u);
        task_wake(task);
        task_priority(task_self(), 10);
        task_priority(task_self(), 9);
    }
}

/* ---- 12: tasks that move, and are called ready while they run ---- */

static void mover(void) {
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        task_work(MS / 2u);
        task_wake(task_self());
        task_delay(1u);
    }
}

/* ---- 15: a task that another one suspends, while it is ready, waits or runs ---- */

static volatile bool may_end;

static void victim(void) {
    while (!may_end) {
        task_work(MS);
        task_wait(KYMO_WHY_EMPTY, QUEUE, 2u);
    }
}

static void suspends(void) {
    struct task *const task = reader;
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        task_delay(1u + round % 2u);
        task_suspend(task);
        task_delay(1u);
        task_wake(task);
    }
    may_end = true;
}

/* ---- the worst ---- */

static volatile uint32_t middle_ones, embraced;

static void holder(void) {
    lock_take(&bus);
    while (middle_ones < CHOICE[CORES]) {}
    lock_give(&bus);
}
static void late_waiter(void) {
    lock_take(&bus);
    lock_give(&bus);
}
static void middle(void) {
    (void)__atomic_fetch_add(&middle_ones, 1u, __ATOMIC_SEQ_CST);
    task_work(20u * MS);
}
static void long_hog(void) { task_work(150u * MS); }
static void nothing(void) {}

static void storm_handler(void) {
    device_enter();
    task_work(300u);
    device_leave();
}
static void storm_source(void) {
    for (uint32_t i = 0u; i < 200u; i++) {
        device_raise(storm_handler);
        if (i < 20u) {
            task_delay(10u);
        }
    }
}

static void embrace(struct lock *first, struct lock *second) {
    lock_take(first);
    (void)__atomic_fetch_add(&embraced, 1u, __ATOMIC_SEQ_CST);
    while (embraced < 2u) {
        task_delay(1u);
    }
    lock_take(second);
}
static void embrace_bus(void) { embrace(&bus, &other); }
static void embrace_other(void) { embrace(&other, &bus); }

static void drain(void) {
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

/* ---- one after the other ---- */

static void join(struct task *task, const struct counts *life) {
    while (!task_is_over(task, life)) {
        task_join(task, life);
    }
}

/* Both tasks, the first of which waits for the second to do something. */
static void pair(struct task **first, const char *name, int32_t priority, void (*entry)(void),
                 const char *second_name, void (*second)(void)) {
    *first = task_create(name, priority, entry);
    const struct counts *const life = task_life(*first);
    struct task *const by = task_create(second_name, 4, second);
    const struct counts *const by_life = task_life(by);
    join(*first, life);
    join(by, by_life);
}

static void single(const char *name, int32_t priority, void (*entry)(void)) {
    struct task *const task = task_create(name, priority, entry);
    join(task, task_life(task));
}

static void play_traps(void) {
    urgent = task_create("1 urgent", 8, urgent_task);
    pair(&reader, "1 reader", 6, preempted_reader, "1 writer", writer);
    pair(&reader, "6 reader", 6, calm_reader, "6 writer", writer);
    pair(&reader, "2 reader", 6, queue_reader, "2 suspender", suspender);
    pair(&urgent, "3 high", 6, high_task, "3 low", low_task);
    pair(&sleeper, "4 sleeper", 6, sleeper_task, "4 bystander", bystander_unhooked);
    pair(&sleeper, "5 sleeper", 6, sleeper_task, "5 bystander", bystander_in_tick);
    pair(&reader, "7 all", 6, waits_for_all, "7 waker", wakes_untold);
    single("8 maker", 6, maker);
    for (uint32_t life = 0u; life < LIVES; life++) {
        single("9 brief", 6, brief);
    }
    sleeper = task_create("10 sleeper", 6, sleeper_task);
    single("10 timer", 9, timer_task);
    pair(&reader, "12 mover", 6, mover, "12 mover", mover);
    pair(&reader, "15 victim", 3, victim, "15 suspender", suspends);
}

static void play_worst(void) {
    struct task *const low = task_create("low", 4, holder);
    const struct counts *const low_life = task_life(low);
    while (bus.holder != low) {
        task_delay(1u);
    }
    struct task *const high = task_create("high", 8, late_waiter);
    const struct counts *const high_life = task_life(high);
    while (!task_waits_for(high, KYMO_WHY_LOCK)) {
        task_delay(1u);
    }
    for (uint32_t core = 0u; core < CHOICE[CORES]; core++) {
        (void)task_create("mid", 6, middle);
    }
    join(low, low_life);
    join(high, high_life);
    single("source", 6, storm_source);
    for (uint32_t core = 0u; core < CHOICE[CORES]; core++) {
        (void)task_create("hog", 6, long_hog);
    }
    single("hungry", 4, nothing);
    (void)task_create("reader", 5, embrace_bus);
    (void)task_create("writer", 6, embrace_other);
    task_delay(20u);
}

/* ---- 13: no host listens at first ---- */

static volatile bool may_connect, is_connected;

static void worker(void) {
    for (;;) {
        task_wait(KYMO_WHY_EMPTY, QUEUE, 1u);
    }
}

static void play_late(void) {
    (void)task_create("13 worker", 6, worker);
    task_delay(100u);
    may_connect = true;
    while (!is_connected) {
        task_delay(1u);
    }
    task_delay(2500u);
}

static void conductor(void) {
    if (CHOICE[SCENE] == LATE) {
        play_late();
    } else if (CHOICE[SCENE] == WORST) {
        play_worst();
    } else {
        play_traps();
    }
    is_over = true;
}

static size_t write_if_connected(void *context, const uint8_t *bytes, size_t length) {
    const struct kymo_transport *line = board_transport();
    (void)context;
    return is_connected ? line->write(line->context, bytes, length) : length;
}

static size_t read_if_connected(void *context, uint8_t *bytes, size_t length) {
    const struct kymo_transport *line = board_transport();
    (void)context;
    return is_connected ? line->read(line->context, bytes, length) : 0u;
}
static const struct kymo_transport late_line = {.write = write_if_connected,
                                                .read = read_if_connected};

/* Forgets the counts so far, as their events had no receiver. Hart 0 is idle. */
static void connect(void) {
    const kymo_arch_state state = kernel_lock();
    drain();
    kernel_forget();
    is_connected = true;
    kernel_unlock(state);
}

/* ---- the truth ---- */

static void write_text(const char *text) { (void)semihosting_call(SYS_WRITE0, text); }

static void write_number(uint64_t number) {
    char text[24], *at = text + sizeof text;
    *--at = '\0';
    do {
        *--at = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    *--at = ';';
    write_text(at);
}

static void write_interval(const struct interval *interval) {
    write_number(interval->least);
    write_number(interval->most);
}

/* "name;kind;base;highest;runs;preempted;wakes;first runs;run;ready", for each reason "waits;waited", then the wakers;
 * for times the least and the most. */
static void tell(const struct counts *counts) {
    write_text(counts->name);
    write_number((uint64_t)counts->kind);
    write_number((uint64_t)counts->base);
    write_number((uint64_t)counts->highest);
    write_number(counts->runs);
    write_number(counts->preempted);
    write_number(counts->wakes);
    write_number(counts->first_runs);
    write_interval(&counts->run);
    write_interval(&counts->ready);
    for (uint32_t why = 0u; why < KYMO_WHY_OVER; why++) {
        write_number(counts->waits[why]);
        write_interval(&counts->waited[why]);
    }
    for (uint32_t i = 0u; i < KERNEL_WAKERS && counts->wakers[i].name != NULL; i++) {
        write_text(";");
        write_text(counts->wakers[i].name);
        write_number(counts->wakers[i].count);
    }
    write_text("\n");
}

static void idle(void) {
    static uint64_t drained;
    __asm__ volatile("wfi");
    if (CHOICE[DRAIN_MS] != 0u && machine_time() - drained > CHOICE[DRAIN_MS] * MS) {
        drained = machine_time();
        drain();
    }
    if (may_connect && !is_connected) {
        connect();
    }
}

int main(void) {
    board_init();
    kernel_tick_start();
    is_connected = CHOICE[SCENE] != LATE;
    kymo_init(is_connected ? board_transport() : &late_line, "traps");
    kymo_task_object(QUEUE, KYMO_OBJECT_QUEUE, "rx");
    kymo_task_object(STREAM, KYMO_OBJECT_STREAM, "stream");
    kymo_task_object(SEMAPHORE, KYMO_OBJECT_SEMAPHORE, "go");
    kernel_start(CHOICE[CORES]);
    lock_create(&bus, "bus", CHOICE[SCENE] != WORST);
    lock_create(&other, "other", true);
    (void)task_create("conductor", CHOICE[SCENE] == WORST ? 9 : 5, conductor);
    while (!is_over) {
        idle();
    }
    kernel_stop();
    kymo_finish();
    drain();
    for (uint32_t i = 0u; i < kernel_life_count; i++) {
        tell(&kernel_lives[i]);
    }
    for (uint32_t core = 0u; core < CHOICE[CORES]; core++) {
        tell(&kernel_ticks[core]);
        tell(&kernel_devices[core]);
    }
    board_exit(0);
}
