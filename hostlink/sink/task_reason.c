/* SPDX-License-Identifier: MIT */
#include "sink/task_reason.h"

#include "base/join.h"

void task_reason(const struct event *event, char *text, size_t size) {
    const struct object *object = event->object;
    const struct track *other = event->u.task.other;
    join(text, size,
         (const char *const[]){object == NULL   ? task_why_word(event->u.task.why)
                               : !object->named ? ""
                                                : object_class_word(object->of),
                               object != NULL && object->named ? " " : "",
                               object != NULL ? object->name : "",
                               other == NULL            ? ""
                               : event->u.task.guess    ? " (taken by "
                               : event->u.task.deadlock ? " (deadlock, held by "
                                                        : " (held by ",
                               other != NULL ? other->name : "", other != NULL ? ")" : "", NULL});
}
