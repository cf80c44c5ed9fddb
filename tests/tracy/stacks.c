/* SPDX-License-Identifier: MIT */
/* clang-format off */
#define TRACY_CALLSTACK 3
#include "tracy/TracyC.h"

#include "program.h"
#include "stacks.h"

volatile unsigned stacks_after;
static char block[16];
static const char text[] = "c message";

CASE(TracyCZone, TracyCZone(zone, 1) TracyCZoneEnd(zone))
CASE(TracyCZoneN, TracyCZoneN(zone, "n", 1) TracyCZoneEnd(zone))
CASE(TracyCZoneC, TracyCZoneC(zone, 0xff0000, 1) TracyCZoneEnd(zone))
CASE(TracyCZoneNC, TracyCZoneNC(zone, "nc", 0xff0000, 1) TracyCZoneEnd(zone))
CASE(TracyCZoneS, TracyCZoneS(zone, STACK_DEPTH, 1) TracyCZoneEnd(zone))
CASE(TracyCZoneNS, TracyCZoneNS(zone, "ns", STACK_DEPTH, 1) TracyCZoneEnd(zone))
CASE(TracyCZoneCS, TracyCZoneCS(zone, 0xff0000, STACK_DEPTH, 1) TracyCZoneEnd(zone))
CASE(TracyCZoneNCS, TracyCZoneNCS(zone, "ncs", 0xff0000, STACK_DEPTH, 1) TracyCZoneEnd(zone))

CASE(TracyCMessage, TracyCMessage(text, 9);)
CASE(TracyCMessageL, TracyCMessageL("c literal");)
CASE(TracyCMessageC, TracyCMessageC(text, 9, 0xff8000);)
CASE(TracyCMessageLC, TracyCMessageLC("c literal, c", 0xff8000);)
CASE(TracyCMessageS, TracyCMessageS(text, 9, STACK_DEPTH);)
CASE(TracyCMessageLS, TracyCMessageLS("c literal, s", STACK_DEPTH);)
CASE(TracyCMessageCS, TracyCMessageCS(text, 9, 0xff8000, STACK_DEPTH);)
CASE(TracyCMessageLCS, TracyCMessageLCS("c literal, cs", 0xff8000, STACK_DEPTH);)

CASE(TracyCAlloc, TracyCAlloc(block, 16);)
CASE(TracyCFree, TracyCFree(block);)
CASE(TracyCAllocN, TracyCAllocN(block, 16, "c pool");)
CASE(TracyCFreeN, TracyCFreeN(block, "c pool");)
CASE(TracyCAllocS, TracyCAllocS(block, 16, STACK_DEPTH);)
CASE(TracyCFreeS, TracyCFreeS(block, STACK_DEPTH);)
CASE(TracyCAllocNS, TracyCAllocNS(block, 16, STACK_DEPTH, "c pool");)
CASE(TracyCFreeNS, TracyCFreeNS(block, STACK_DEPTH, "c pool");)
CASE(TracyCSecureAlloc, TracyCSecureAlloc(block, 16);)
CASE(TracyCSecureFree, TracyCSecureFree(block);)
CASE(TracyCSecureAllocN, TracyCSecureAllocN(block, 16, "c pool");)
CASE(TracyCSecureFreeN, TracyCSecureFreeN(block, "c pool");)
CASE(TracyCSecureAllocS, TracyCSecureAllocS(block, 16, STACK_DEPTH);)
CASE(TracyCSecureFreeS, TracyCSecureFreeS(block, STACK_DEPTH);)
CASE(TracyCSecureAllocNS, TracyCSecureAllocNS(block, 16, STACK_DEPTH, "c pool");)
CASE(TracyCSecureFreeNS, TracyCSecureFreeNS(block, STACK_DEPTH, "c pool");)
CASE(TracyCMemoryDiscard, TracyCMemoryDiscard("c pool"))
CASE(TracyCMemoryDiscardS, TracyCMemoryDiscardS("c pool", STACK_DEPTH);)
CASE(TracyCSecureMemoryDiscard, TracyCSecureMemoryDiscard("c pool"))
CASE(TracyCSecureMemoryDiscardS, TracyCSecureMemoryDiscardS("c pool", STACK_DEPTH);)

static const struct ___tracy_source_location_data place = {"by a place", "function", "file.c", 1, 0};
CASE(___tracy_emit_zone_begin_callstack,
     TracyCZoneCtx zone = ___tracy_emit_zone_begin_callstack(&place, STACK_DEPTH, 1); ___tracy_emit_zone_end(zone);)
CASE(___tracy_emit_zone_begin_alloc_callstack,
     TracyCZoneCtx zone = ___tracy_emit_zone_begin_alloc_callstack(
         ___tracy_alloc_srcloc(1, "file.c", 6, "function", 8, 0), STACK_DEPTH, 1); ___tracy_emit_zone_end(zone);)
CASE(___tracy_emit_logString, ___tracy_emit_logString(2, 0, STACK_DEPTH, 9, text);)
CASE(___tracy_emit_logStringL, ___tracy_emit_logStringL(2, 0, STACK_DEPTH, text);)
CASE(___tracy_emit_memory_alloc_callstack, ___tracy_emit_memory_alloc_callstack(block, 16, STACK_DEPTH);)
CASE(___tracy_emit_memory_free_callstack, ___tracy_emit_memory_free_callstack(block, STACK_DEPTH);)
CASE(___tracy_emit_memory_alloc_callstack_named,
     ___tracy_emit_memory_alloc_callstack_named(block, 16, STACK_DEPTH, "c pool");)
CASE(___tracy_emit_memory_free_callstack_named,
     ___tracy_emit_memory_free_callstack_named(block, STACK_DEPTH, "c pool");)
CASE(___tracy_emit_memory_discard_callstack, ___tracy_emit_memory_discard_callstack("c pool", STACK_DEPTH);)

AS_WRITTEN void markup_c(void) {
    of_TracyCZone(); of_TracyCZoneN(); of_TracyCZoneC(); of_TracyCZoneNC();
    of_TracyCZoneS(); of_TracyCZoneNS(); of_TracyCZoneCS(); of_TracyCZoneNCS();
    of_TracyCMessage(); of_TracyCMessageL(); of_TracyCMessageC(); of_TracyCMessageLC();
    of_TracyCMessageS(); of_TracyCMessageLS(); of_TracyCMessageCS(); of_TracyCMessageLCS();
    of_TracyCAlloc(); of_TracyCFree(); of_TracyCAllocN(); of_TracyCFreeN();
    of_TracyCAllocS(); of_TracyCFreeS(); of_TracyCAllocNS(); of_TracyCFreeNS();
    of_TracyCSecureAlloc(); of_TracyCSecureFree(); of_TracyCSecureAllocN(); of_TracyCSecureFreeN();
    of_TracyCSecureAllocS(); of_TracyCSecureFreeS(); of_TracyCSecureAllocNS(); of_TracyCSecureFreeNS();
    of____tracy_emit_zone_begin_callstack(); of____tracy_emit_zone_begin_alloc_callstack();
    of____tracy_emit_logString(); of____tracy_emit_logStringL();
    of____tracy_emit_memory_alloc_callstack(); of____tracy_emit_memory_free_callstack();
    of____tracy_emit_memory_alloc_callstack_named(); of____tracy_emit_memory_free_callstack_named();
    of_TracyCAllocN(); of_TracyCMemoryDiscard(); of_TracyCAllocN(); of_TracyCMemoryDiscardS();
    of_TracyCAllocN(); of_TracyCSecureMemoryDiscard(); of_TracyCAllocN(); of_TracyCSecureMemoryDiscardS();
    of_TracyCAllocN(); of____tracy_emit_memory_discard_callstack();
    stacks_after = stacks_after + 1u;
}
