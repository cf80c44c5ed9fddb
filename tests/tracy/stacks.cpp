/* SPDX-License-Identifier: MIT */
/* clang-format off */
#define TRACY_CALLSTACK 3
#include "tracy/Tracy.hpp"

#include "program.h"
#include "stacks.h"

namespace {

char block[16];
const char text[] = "cpp message";

CASE(ZoneNamed, ZoneNamed(zone, true);)
CASE(ZoneNamedN, ZoneNamedN(zone, "n", true);)
CASE(ZoneNamedC, ZoneNamedC(zone, 0xff0000, true);)
CASE(ZoneNamedNC, ZoneNamedNC(zone, "nc", 0xff0000, true);)
CASE(ZoneScoped, ZoneScoped;)
CASE(ZoneScopedN, ZoneScopedN("n");)
CASE(ZoneScopedC, ZoneScopedC(0xff0000);)
CASE(ZoneScopedNC, ZoneScopedNC("nc", 0xff0000);)
CASE(ZoneNamedS, ZoneNamedS(zone, STACK_DEPTH, true);)
CASE(ZoneNamedNS, ZoneNamedNS(zone, "ns", STACK_DEPTH, true);)
CASE(ZoneNamedCS, ZoneNamedCS(zone, 0xff0000, STACK_DEPTH, true);)
CASE(ZoneNamedNCS, ZoneNamedNCS(zone, "ncs", 0xff0000, STACK_DEPTH, true);)
CASE(ZoneScopedS, ZoneScopedS(STACK_DEPTH);)
CASE(ZoneScopedNS, ZoneScopedNS("ns", STACK_DEPTH);)
CASE(ZoneScopedCS, ZoneScopedCS(0xff0000, STACK_DEPTH);)
CASE(ZoneScopedNCS, ZoneScopedNCS("ncs", 0xff0000, STACK_DEPTH);)
CASE(ZoneTransient, ZoneTransient(zone, true);)
CASE(ZoneTransientN, ZoneTransientN(zone, text, true);)
CASE(ZoneTransientNC, ZoneTransientNC(zone, text, 0x00ff00, true);)
CASE(ZoneTransientS, ZoneTransientS(zone, STACK_DEPTH, true);)
CASE(ZoneTransientNS, ZoneTransientNS(zone, text, STACK_DEPTH, true);)

CASE(TracyMessage, TracyMessage(text, 11);)
CASE(TracyMessageL, TracyMessageL("cpp literal");)
CASE(TracyMessageC, TracyMessageC(text, 11, 0xff8000);)
CASE(TracyMessageLC, TracyMessageLC("cpp literal, c", 0xff8000);)
CASE(TracyMessageS, TracyMessageS(text, 11, STACK_DEPTH);)
CASE(TracyMessageLS, TracyMessageLS("cpp literal, s", STACK_DEPTH);)
CASE(TracyMessageCS, TracyMessageCS(text, 11, 0xff8000, STACK_DEPTH);)
CASE(TracyMessageLCS, TracyMessageLCS("cpp literal, cs", 0xff8000, STACK_DEPTH);)
CASE(TracyLogString, TracyLogString(tracy::MessageSeverity::Warning, 0, STACK_DEPTH + 1, "cpp warning");)
CASE(TracyLogStringSized, TracyLogString(tracy::MessageSeverity::Error, 0, STACK_DEPTH + 1, 9, text);)

CASE(TracyAlloc, TracyAlloc(block, 16);)
CASE(TracyFree, TracyFree(block);)
CASE(TracyAllocN, TracyAllocN(block, 16, "cpp pool");)
CASE(TracyFreeN, TracyFreeN(block, "cpp pool");)
CASE(TracyAllocS, TracyAllocS(block, 16, STACK_DEPTH);)
CASE(TracyFreeS, TracyFreeS(block, STACK_DEPTH);)
CASE(TracyAllocNS, TracyAllocNS(block, 16, STACK_DEPTH, "cpp pool");)
CASE(TracyFreeNS, TracyFreeNS(block, STACK_DEPTH, "cpp pool");)
CASE(TracySecureAlloc, TracySecureAlloc(block, 16);)
CASE(TracySecureFree, TracySecureFree(block);)
CASE(TracySecureAllocN, TracySecureAllocN(block, 16, "cpp pool");)
CASE(TracySecureFreeN, TracySecureFreeN(block, "cpp pool");)
CASE(TracySecureAllocS, TracySecureAllocS(block, 16, STACK_DEPTH);)
CASE(TracySecureFreeS, TracySecureFreeS(block, STACK_DEPTH);)
CASE(TracySecureAllocNS, TracySecureAllocNS(block, 16, STACK_DEPTH, "cpp pool");)
CASE(TracySecureFreeNS, TracySecureFreeNS(block, STACK_DEPTH, "cpp pool");)
CASE(TracyMemoryDiscard, TracyMemoryDiscard("cpp pool");)
CASE(TracyMemoryDiscardS, TracyMemoryDiscardS("cpp pool", STACK_DEPTH);)
CASE(TracySecureMemoryDiscard, TracySecureMemoryDiscard("cpp pool");)
CASE(TracySecureMemoryDiscardS, TracySecureMemoryDiscardS("cpp pool", STACK_DEPTH);)

} // namespace

AS_WRITTEN void markup_cxx() {
    of_ZoneNamed(); of_ZoneNamedN(); of_ZoneNamedC(); of_ZoneNamedNC();
    of_ZoneScoped(); of_ZoneScopedN(); of_ZoneScopedC(); of_ZoneScopedNC();
    of_ZoneNamedS(); of_ZoneNamedNS(); of_ZoneNamedCS(); of_ZoneNamedNCS();
    of_ZoneScopedS(); of_ZoneScopedNS(); of_ZoneScopedCS(); of_ZoneScopedNCS();
    of_ZoneTransient(); of_ZoneTransientN(); of_ZoneTransientNC(); of_ZoneTransientS(); of_ZoneTransientNS();
    of_TracyMessage(); of_TracyMessageL(); of_TracyMessageC(); of_TracyMessageLC();
    of_TracyMessageS(); of_TracyMessageLS(); of_TracyMessageCS(); of_TracyMessageLCS();
    of_TracyLogString(); of_TracyLogStringSized();
    of_TracyAlloc(); of_TracyFree(); of_TracyAllocN(); of_TracyFreeN();
    of_TracyAllocS(); of_TracyFreeS(); of_TracyAllocNS(); of_TracyFreeNS();
    of_TracySecureAlloc(); of_TracySecureFree(); of_TracySecureAllocN(); of_TracySecureFreeN();
    of_TracySecureAllocS(); of_TracySecureFreeS(); of_TracySecureAllocNS(); of_TracySecureFreeNS();
    of_TracyAllocN(); of_TracyMemoryDiscard(); of_TracyAllocN(); of_TracyMemoryDiscardS();
    of_TracyAllocN(); of_TracySecureMemoryDiscard(); of_TracyAllocN(); of_TracySecureMemoryDiscardS();
    stacks_after = stacks_after + 1u;
}
