/* SPDX-License-Identifier: MIT */
/* The walk by unwinding tables, on this machine: each instruction of the tables by itself, as the "Exception Handling
 * ABI for the Arm Architecture" (IHI 0038, section 9) has it, and rubbish of all kinds. The stack lies between two
 * pages that fault, low enough for addresses of 32 bits. */
#include <string.h>
#include <sys/mman.h>

#include "cases.h"

/* The registers of a Cortex-M that the walk looks at. */
static uintptr_t psp;
static uint32_t ipsr;
static uintptr_t process_stack(void) { return psp; }
static uint32_t exception_now(void) { return ipsr; }
#define HAS_EXCEPTION_FRAMES 1

struct entry;
static const struct entry *table_start, *table_end;
#define TABLE_START table_start
#define TABLE_END table_end
#include "ehabi.c"

#define PAGE 4096u
#define STACK_WORDS (PAGE / 4u)
#define MOST 32u

/* Code is only addresses here: the functions are FUNCTION_BYTES apart in a page of their own. */
#define FUNCTIONS 8u
#define FUNCTION_BYTES 64u
#define TABLE_WORDS 1024u

static uint8_t *pages; /* guard, stack, guard, code, table */
static uint32_t *stack, *table;
static uint32_t random_state;

static uint32_t any(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * below >> 32);
}

static uintptr_t code_of(uint32_t function) {
    return (uintptr_t)(pages + 3u * PAGE) + function * FUNCTION_BYTES;
}

static uintptr_t stack_at(uint32_t word) { return (uintptr_t)(stack + word); }

static uint32_t relative(uintptr_t to, const uint32_t *from) {
    return (uint32_t)(to - (uintptr_t)from) & 0x7fffffffu;
}

/* All functions with the same three instructions, and after them an entry that cannot be unwound, as linkers add. */
static void set_code(uint32_t instructions) {
    struct entry *entries = (struct entry *)(void *)table;
    for (uint32_t i = 0u; i <= FUNCTIONS; i++) {
        entries[i].start = relative(code_of(i), &entries[i].start);
        entries[i].what = i < FUNCTIONS ? INLINE | instructions : CANT_UNWIND;
    }
    table_start = entries;
    table_end = entries + FUNCTIONS + 1u;
}

FIXTURE(set_up) {
    if (pages == NULL) {
        pages = mmap(NULL, 5u * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        assert_true(pages != MAP_FAILED);
        assert_int_equal(mprotect(pages, PAGE, PROT_NONE), 0);
        assert_int_equal(mprotect(pages + 2u * PAGE, PAGE, PROT_NONE), 0);
    }
    stack = (uint32_t *)(void *)(pages + PAGE);
    table = (uint32_t *)(void *)(pages + 4u * PAGE);
    memset(stack, 0, PAGE);
    memset(found_last, 0, sizeof found_last);
    random_state = 1u;
    return 0;
}

/* In the middle of function 0, with so much stack in use. */
static struct walk start_at(uint32_t word) {
    struct walk walk = {.low = stack_at(word), .last = stack_at(STACK_WORDS - 1u), .exact = true};
    for (uint32_t i = 0u; i < 13u; i++) {
        walk.r[i] = 1000u + i;
    }
    walk.r[SP] = stack_at(word);
    walk.r[LR] = code_of(1u) + 9u;
    walk.r[PC] = code_of(0u) + 8u;
    return walk;
}

/* One step with these instructions, the stack full of its own word numbers. */
static bool step_with(uint32_t instructions, struct walk *walk) {
    set_code(instructions);
    for (uint32_t i = 0u; i < STACK_WORDS; i++) {
        stack[i] = i;
    }
    *walk = start_at(100u);
    return enter_function(walk) && step(walk);
}

CASE(a_function_without_a_frame_returns_by_its_link, set_up) {
    struct walk walk;
    assert_true(step_with(0xb0b0b0u, &walk));
    assert_int_equal(walk.r[PC], code_of(1u) + 9u);
    assert_int_equal(walk.r[SP], stack_at(100u));
    assert_false(walk.exact);
}

/* A function interrupted there has kept nothing yet, whatever the table says. */
CASE(at_its_first_instruction_a_function_returns_by_its_link, set_up) {
    set_code(0xa8b0b0u); /* pop r4, lr */
    stack[100] = 7u;
    stack[101] = (uint32_t)code_of(2u) + 9u; /* of the caller */
    struct walk walk = start_at(100u);
    walk.r[PC] = code_of(0u);
    assert_true(enter_function(&walk) && step(&walk));
    assert_int_equal(walk.r[PC], code_of(1u) + 9u);
    assert_int_equal(walk.r[SP], stack_at(100u));
    assert_int_equal(walk.r[4], 1004u);
    assert_false(walk.exact);
}

/* Instructions, how many bytes the stack pointer rises, and a register with the word of the stack that it gets. */
CASE(each_instruction_does_what_the_standard_says, set_up) {
    static const struct {
        uint32_t instructions, rises, number, word;
    } cases[] = {
        {0x00b0b0u, 4u, LR, 0u},     /* vsp += 4 */
        {0x3fb0b0u, 256u, LR, 0u},   /* the most */
        {0x3f40b0u, 252u, LR, 0u},   /* and back by 4 */
        {0x8001b0u, 4u, 4u, 100u},   /* pop r4 */
        {0x8401b0u, 8u, LR, 101u},   /* pop r4, lr */
        {0x8480b0u, 8u, 11u, 100u},  /* pop r11, lr */
        {0x8800b0u, 4u, PC, 100u},   /* pop pc */
        {0xa0b0b0u, 4u, 4u, 100u},   /* pop r4 */
        {0xa7b0b0u, 32u, 11u, 107u}, /* pop r4 to r11 */
        {0xa8b0b0u, 8u, LR, 101u},   /* pop r4, lr */
        {0xafb0b0u, 36u, LR, 108u},  /* pop r4 to r11, lr */
        {0xb10fb0u, 16u, 3u, 103u},  /* pop r0 to r3 */
        {0xb200b0u, 0x204u, LR, 0u}, /* vsp += 0x204 + 0 */
        {0xb201b0u, 0x208u, LR, 0u}, /* vsp += 0x204 + 4 */
        {0xb4b0b0u, 4u, LR, 0u},     /* what signs a return address */
        {0xb5b4b0u, 4u, LR, 0u},     /* and what it was made with */
        {0xb382b0u, 28u, LR, 0u},    /* three doubles by FSTMFDX */
        {0xb9b0b0u, 20u, LR, 0u},    /* d8 and d9 by FSTMFDX */
        {0xc801b0u, 16u, LR, 0u},    /* d16 and d17 */
        {0xc981b0u, 16u, LR, 0u},    /* d8 and d9 */
        {0xd1b0b0u, 16u, LR, 0u},    /* d8 and d9 */
    };
    struct walk walk;
    for (uint32_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(step_with(cases[i].instructions, &walk));
        assert_int_equal(walk.r[SP], stack_at(100u) + cases[i].rises);
        assert_int_equal(walk.r[cases[i].number],
                         cases[i].word != 0u ? cases[i].word : code_of(1u) + 9u);
        assert_int_equal(walk.exact, cases[i].number == PC);
    }
}

CASE(the_stack_pointer_is_taken_from_a_register, set_up) {
    struct walk walk;
    set_code(0x97b0b0u);
    walk = start_at(100u);
    walk.r[7] = stack_at(120u);
    assert_true(enter_function(&walk) && step(&walk));
    assert_int_equal(walk.r[SP], stack_at(120u));
}

CASE(what_is_refused_spare_or_forbidden_ends_the_walk, set_up) {
    static const uint32_t codes[] = {
        0x8000b0u, /* refuse to unwind */
        0x8a00b0u, /* pop sp */
        0x9db0b0u, 0x9fb0b0u, 0xb100b0u, 0xb110b0u, 0xb6b0b0u, 0xb7b0b0u,
        0xc0b0b0u, 0xc7b0b0u, 0xcab0b0u, 0xd8b0b0u, 0xffb0b0u, 0x40b0b0u, /* downwards */
    };
    struct walk walk;
    for (uint32_t i = 0u; i < sizeof codes / sizeof codes[0]; i++) {
        assert_false(step_with(codes[i], &walk));
    }
}

/* Instructions beside the table, more than a word of them: index 1 of the standard's personality routines. */
CASE(long_instructions_are_read_to_their_end, set_up) {
    struct walk walk;
    set_code(0u);
    uint32_t *extra = table + 512u;
    extra[0] = 0x81010000u | 0x0001u; /* one more word; 4 + 8 */
    extra[1] = 0x0203a0b0u;           /* + 12 + 16, pop r4 */
    struct entry *entries = (struct entry *)(void *)table;
    entries[0].what = relative((uintptr_t)extra, &entries[0].what);
    stack[110] = 42u;
    walk = start_at(100u);
    assert_true(enter_function(&walk) && step(&walk));
    assert_int_equal(walk.r[SP], stack_at(111u));
    assert_int_equal(walk.r[4], 42u);

    extra[0] = 0x00000010u; /* a routine of some language */
    walk = start_at(100u);
    assert_false(enter_function(&walk) && step(&walk));
    extra[0] = 0x83000000u; /* a routine that the standard does not have */
    walk = start_at(100u);
    assert_false(enter_function(&walk) && step(&walk));
}

/* The form of most functions of Thumb-2 code, which has a path of its own; and forms that are nearly that. */
CASE(r3_and_the_link_register_are_popped, set_up) {
    static const struct {
        uint32_t words[2], rises, r3, link;
    } cases[] = {
        {{0x8101b108u, 0x8400b0b0u}, 8u, 90u, 91u},
        {{0x8101b108u, 0xa8b0b0b0u}, 12u, 90u, 92u}, /* pop r3; pop r4, lr */
        {{0x8100b108u, 0x8400b0b0u}, 4u, 90u, 0u},   /* the second word is not of it */
        {{0x8101b10cu, 0x8400b0b0u}, 12u, 91u, 92u}, /* pop r2, r3; pop lr */
    };
    struct walk walk;
    for (uint32_t i = 0u; i < 2u * sizeof cases / sizeof cases[0]; i++) {
        const uint32_t number = i / 2u;
        const uint32_t words = cases[number].rises / 4u;
        const uint32_t start = i % 2u == 0u ? 100u : STACK_WORDS - words + 1u; /* a word too few */
        set_code(0u);
        uint32_t *extra = table + 512u;
        memcpy(extra, cases[number].words, sizeof cases[number].words);
        struct entry *entries = (struct entry *)(void *)table;
        entries[0].what = relative((uintptr_t)extra, &entries[0].what);
        for (uint32_t word = 0u; start + word < STACK_WORDS; word++) {
            stack[start + word] = 90u + word;
        }
        walk = start_at(start);
        assert_int_equal(enter_function(&walk) && step(&walk), i % 2u == 0u);
        if (i % 2u == 0u) {
            assert_int_equal(walk.r[SP], stack_at(start + words));
            assert_int_equal(walk.r[3], cases[number].r3);
            assert_int_equal(walk.r[LR],
                             cases[number].link != 0u ? cases[number].link : code_of(1u) + 9u);
        }
    }
}

/* After any earlier search, by any caller. */
CASE(what_was_found_last_is_looked_at, set_up) {
    set_code(0xb0b0b0u);
    for (uint32_t turn = 0u; turn < 20000u; turn++) {
        const uintptr_t address =
            code_of(0u) - FUNCTION_BYTES + any((FUNCTIONS + 2u) * FUNCTION_BYTES);
        found_last[any(FOUND_LAST)] = any(4u) != 0u ? table_start + any(FUNCTIONS + 1u) : NULL;
        assert_ptr_equal(find(address), search(address));
    }
}

CASE(an_address_belongs_to_the_function_before_it, set_up) {
    set_code(0xb0b0b0u);
    for (uint32_t i = 0u; i < FUNCTIONS; i++) {
        assert_ptr_equal(find(code_of(i)), table_start + i);
        assert_ptr_equal(find(code_of(i) + FUNCTION_BYTES - 1u), table_start + i);
    }
    assert_null(find(code_of(0u) - 1u));
    assert_ptr_equal(find(code_of(FUNCTIONS) + 100u), table_start + FUNCTIONS);
    table_end = table_start;
    assert_null(search(code_of(0u)));
}

/* A call that does not return may be a function's last instruction. */
CASE(a_return_address_belongs_to_the_function_of_the_call, set_up) {
    struct walk walk;
    set_code(0xb0b0b0u);
    walk = start_at(100u);
    walk.exact = false;
    walk.r[PC] = code_of(2u) + 1u; /* Thumb */
    assert_true(enter_function(&walk));
    assert_ptr_equal(walk.function, table_start + 1);
    walk.exact = true;
    walk.r[PC] = code_of(2u);
    assert_true(enter_function(&walk));
    assert_ptr_equal(walk.function, table_start + 2);
}

CASE(a_chain_is_walked_to_where_it_ends, set_up) {
    uintptr_t addresses[MOST];
    struct walk walk;
    set_code(0xa8b0b0u); /* pop r4, lr */
    for (uint32_t i = 0u; i < 5u; i++) {
        stack[100u + 2u * i + 1u] = (uint32_t)code_of(i + 1u) + 21u;
    }
    walk = start_at(100u);
    assert_int_equal(walk_out(&walk, addresses, MOST, 0u), 5u);
    for (uint32_t i = 0u; i < 5u; i++) {
        assert_int_equal(addresses[i], code_of(i + 1u) + 20u); /* without the Thumb bit */
    }
    walk = start_at(100u);
    assert_int_equal(walk_out(&walk, addresses, 2u, 2u), 2u);
    assert_int_equal(addresses[0], code_of(3u) + 20u);
    walk = start_at(100u);
    walk.last = stack_at(103u); /* two frames are left of the stack */
    assert_int_equal(walk_out(&walk, addresses, MOST, 0u), 2u);
    walk = start_at(100u);
    stack[103] = (uint32_t)code_of(FUNCTIONS) + 1000u; /* after all code */
    assert_int_equal(walk_out(&walk, addresses, MOST, 0u), 1u);
}

/* A function that does not return keeps no return address; its own call's value in the link register is not one. */
CASE(a_function_without_a_return_address_ends_the_walk, set_up) {
    uintptr_t addresses[MOST];
    set_code(0xa8b0b0u);
    ((struct entry *)(void *)table)[1].what = INLINE | 0x03b0b0u; /* 16 bytes of its own */
    stack[101] = (uint32_t)code_of(1u) + 21u;
    struct walk walk = start_at(100u);
    assert_int_equal(walk_out(&walk, addresses, MOST, 0u), 1u);
    assert_int_equal(addresses[0], code_of(1u) + 20u);
}

#define XPSR_THUMB 0x01000000u

/* The words that the core pushes when it takes an exception. */
static void put_exception(uint32_t word, uintptr_t link, uintptr_t at, uint32_t xpsr) {
    const uint32_t words[8] = {
        1u, 2u, 3u, 4u, 13u, (uint32_t)link, (uint32_t)at, xpsr | XPSR_THUMB};
    memcpy(&stack[word], words, sizeof words);
}

/* The handler of exception 16, in function 0, has preempted that of 17, in function 2, and this a task in function 4
 * with a stack of its own. */
CASE(exceptions_are_walked_through, set_up) {
    uintptr_t addresses[MOST];
    set_code(0xa8b0b0u); /* pop r4, lr */
    ipsr = 16u;
    psp = stack_at(500u);
    stack[101] = 0xfffffff1u;
    put_exception(102u, 0u, code_of(2u) + 4u, 17u);
    stack[111] = 0xfffffffdu;
    put_exception(500u, 0u, code_of(4u) + 4u, 0u);
    stack[509] = (uint32_t)code_of(5u) + 21u;
    stack[511] = 0xfffffffdu; /* in a task this is no way back from an exception */
    struct walk walk = start_at(100u);
    walk.exception = exception_now();
    assert_int_equal(walk_out(&walk, addresses, MOST, 0u), 3u);
    assert_int_equal(addresses[0], code_of(2u) + 5u);
    assert_int_equal(addresses[1], code_of(4u) + 5u);
    assert_int_equal(addresses[2], code_of(5u) + 20u);
}

/* After reset a link register is all ones, which is no EXC_RETURN, and no exception was taken by then. */
CASE(what_no_exception_left_is_not_walked_through, set_up) {
    static const struct {
        uint32_t how, running, preempted;
        bool is_one;
    } cases[] = {
        {0xfffffff9u, 16u, 0u, true},  /* Armv6-M, Armv7-M: a thread on the main stack */
        {0xffffffe9u, 16u, 0u, true},  /* with floating-point registers */
        {0xffffffbcu, 16u, 0u, true},  /* Armv8-M, not secure: on the process stack */
        {0xfffffff1u, 16u, 3u, true},  /* a handler */
        {0xffffffb0u, 16u, 3u, true},  /* not secure */
        {0xfffffff1u, 16u, 0u, false}, /* xPSR says that it was none */
        {0xfffffff9u, 16u, 3u, false}, /* and here, that it was one */
        {0xfffffff9u, 0u, 0u, false},  /* no handler runs */
        {0xffffffffu, 16u, 0u, false}, /* after reset */
        {0xfffffff8u, 16u, 0u, false}, /* into the other security state */
        {0xffffffb9u, 16u, 0u, false}, /* out of it */
        {0xffffffd9u, 16u, 0u, false}, /* with its registers below */
        {0xfffffff3u, 16u, 0u, false}, {0xffffff79u, 16u, 0u, false},
    };
    uintptr_t addresses[MOST];
    set_code(0xa8b0b0u);
    for (uint32_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        ipsr = cases[i].running;
        psp = stack_at(102u);
        stack[101] = cases[i].how;
        put_exception(102u, 0u, code_of(2u) + 4u, cases[i].preempted);
        stack[111] = stack[129] = 0u;
        struct walk walk = start_at(100u);
        walk.exception = exception_now();
        assert_int_equal(walk_out(&walk, addresses, MOST, 0u), cases[i].is_one ? 1u : 0u);
    }
}

CASE(rubbish_does_not_lead_out_of_the_stack, set_up) {
    uintptr_t addresses[MOST];
    uint64_t found = 0u;
    for (uint32_t round = 0u; round < 200000u; round++) {
        set_code(any(4u) == 0u ? any(0x1000000u) : 0xa8b0b0u | any(8u) << 16);
        for (uint32_t i = 0u; i < 64u; i++) {
            const uint32_t at = STACK_WORDS - 1u - i;
            stack[at] = any(8u) == 0u   ? 0xffffff80u + any(128u)
                        : any(4u) == 0u ? any(UINT32_MAX)
                        : any(4u) == 0u ? (uint32_t)stack_at(any(STACK_WORDS + 8u))
                                        : (uint32_t)code_of(any(FUNCTIONS)) + any(FUNCTION_BYTES);
        }
        struct walk walk = start_at(STACK_WORDS - any(70u));
        walk.last -= any(8u) * any(2u);
        /* The bound of a process stack is the port's own, which is told where that ends. */
        psp = stack_at(any(STACK_WORDS - KYMO_STACK_BYTES / 4u)) + any(4u) * any(2u);
        walk.exception = any(32u);
        for (uint32_t i = 0u; i < 13u; i++) {
            walk.r[i] = stack_at(any(STACK_WORDS)) + any(4u) * any(2u);
        }
        const uint32_t count = walk_out(&walk, addresses, MOST, any(3u));
        assert_true(count <= MOST);
        for (uint32_t i = 0u; i < count; i++) {
            assert_in_range(addresses[i] - 1u, code_of(0u), code_of(FUNCTIONS) - 1u);
        }
        found += count;
    }
    assert_true(found > 20000u); /* or the walks were over at once */
}
