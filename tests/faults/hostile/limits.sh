#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 900
# needs: python3
#
# Cdicts that mean much more than their bytes: every command ends within 64 MiB and eight times the file, in time that
# goes with its size, with a reason where it does not do what was asked: of each all, of one with another byte a third (EVERY=1: all).
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
