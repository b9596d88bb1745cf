#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 900
# needs: python3
#
# Small cdicts that expand to very much: every command ends within 64 MiB plus eight times the file, in time
# proportional to its size, and gives a reason if it fails. All commands run on each file, a sixth on copies with one byte changed (EVERY=1: all).
. "$TOP/tests/faults/hostile/_lib.sh"

mkdir made
python3 "$tools/make/mkbomb.py" made || exit 1
for file in made/*-mended.cdict; do
	kind=${file%-mended.cdict}
	mib=64
	# 400,000 tasks with names of their own, in tables, and in SQL
	[ "$(basename "$kind")" != task-comms ] || mib=128,200
	verdict "bomb_$(basename "$kind")" "$(bounded $mib 3 "$kind.cdict" --like "$file")"
done
