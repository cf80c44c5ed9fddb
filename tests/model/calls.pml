/* SPDX-License-Identifier: MIT */
/* Calls of the contexts. A model includes this after the steps of its ring:
 *   perform()            one call of the API, by "operation"
 *   interrupt_enter()    kymo_interrupt_enter() and kymo_interrupt_leave(), with INTERRUPT
 *   interrupt_leave()
 *   LOCALS               variables of these
 *   MASKED               true while interrupts are masked
 * Each context chooses each of its operations freely. */

#define MAY_CALL(kind) (((_pid == 0 -> CALLS_0 : (_pid == 1 -> CALLS_1 : CALLS_2)) & kind) != 0)

inline choose_operation() {
    left[_pid]--;
    if
    :: MAY_CALL(SHORT) -> operation = SHORT
    :: MAY_CALL(LONG) -> operation = LONG
    :: MAY_CALL(BEGIN) -> operation = BEGIN
    :: MAY_CALL(SWITCH) -> operation = SWITCH
#ifdef LEAVES
    :: MAY_CALL(LEAVE) -> operation = LEAVE
#endif
#ifdef DOUBLE_ENDS
    :: MAY_CALL(END) -> operation = END
#else
    :: MAY_CALL(END) && zones > 0 -> zones--; operation = END
#endif
    :: else -> operation = 0
    fi
}

active [3] proctype context() {
    byte operation;
    byte preempted;
    LOCALS

    do
    :: atomic { left[_pid] > 0 && MAY_ENTER ->
           under_way[_pid] = true;
#ifndef FREE
           preempted = level;
           level = _pid;
#endif
           choose_operation()
       };
#ifdef INTERRUPT
       if
       :: _pid > 0 -> interrupt_enter()
       :: else
       fi;
#endif
    next:
       perform();
       if
       :: atomic { here && left[_pid] > 0 -> choose_operation() };
          goto next
       :: here && (left[_pid] == 0 || _pid > 0)
       fi;
#ifdef INTERRUPT
       if
       :: _pid > 0 -> interrupt_leave()
       :: else
       fi;
#endif
       atomic {
           here;
           under_way[_pid] = false;
#ifndef FREE
           level = preempted;
#endif
           preempted = 0
       }
    :: left[_pid] == 0 -> break
    od
}
