#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# In place of objdump: does what $FAKE_OBJDUMP says.
case $FAKE_OBJDUMP in
hang) exec sleep 1000 ;;
half) echo "    1000:	nop" && exec sleep 1000 ;;
endless) yes "    1004:	nop" ;;
babble) cat /dev/urandom ;;
long) head -c 100000 /dev/zero | tr '\0' x ;;
die) exit 1 ;;
odd) printf '1000:\nfile format\n 1000 nop\n 10zz: nop\n: nop\n00001000 <f>:\n    2000:\tnop\n    0:\tnop\n' ;;
*) printf '\nfw.elf: file format elf\n\n00001000 <f>:\n    1000:\taddi\tsp,sp,-16\n    1002: ret\n    1010:\tnop\n' ;;
esac
