/* SPDX-License-Identifier: MIT */
/* IS_ENABLED(): 1 if the argument is a macro that is 1, else 0, as a literal. COND_CODE_1()
 * takes one of two texts by it. */
#ifndef TESTS_ZEPHYR_UTIL_MACRO_H
#define TESTS_ZEPHYR_UTIL_MACRO_H

#define MODEL_ONE1 MODEL_ONE,
#define MODEL_SECOND(first, second, ...) second
#define MODEL_IS_ONE(one_and_comma) MODEL_SECOND(one_and_comma 1, 0, unused)
#define MODEL_IS_ENABLED(value) MODEL_IS_ONE(MODEL_ONE##value)
#define IS_ENABLED(macro) MODEL_IS_ENABLED(macro)

#define MODEL_BARE(...) __VA_ARGS__
#define MODEL_IF_1(yes, no) MODEL_BARE yes
#define MODEL_IF_0(yes, no) MODEL_BARE no
#define MODEL_IF(condition) MODEL_IF_##condition
#define MODEL_COND(condition, yes, no) MODEL_IF(condition)(yes, no)
#define COND_CODE_1(condition, yes, no) MODEL_COND(condition, yes, no)

#endif
