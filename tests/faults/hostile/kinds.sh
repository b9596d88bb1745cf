#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 600
# needs: python3
#
# Three variants of each kind of item that a reader keeps or a command draws (mkhostile.py, seeded by SEED; KINDS="vm exit": only
# these). Each command, picture and format stays within the limits of memory, CPU and output in doc/cdict.5. An eighth of the
# commands run on each file (EVERY=1: all; SAMPLE=1, ...: others).
. "$TOP/tests/faults/hostile/_lib.sh"

export MKPERF DATA
mkdir made
# Tasks without a name, 13 bytes of a file for four of them: what is kept, sorted and printed for each shows only when there are many.
SIZE=${MANY:-5} python3 "$tools/make/mkhostile.py" made "${SEED:-1}" task-1 || exit 1
verdict hostile_rows_of_150000_unnamed_tasks "$(ONLY='diff report successors' bounded --law made/task-1.cdict)"
rm -f made/*
# Tasks of one name each: a row for each task and figure, and for each group.
SIZE=${MANY:-2} python3 "$tools/make/mkhostile.py" made "${SEED:-1}" comm-2 || exit 1
verdict hostile_rows_of_40000_named_tasks "$(ONLY='diff report' bounded --law made/comm-2.cdict)"
# What is not printed is counted, and printed when it is asked for.
rows_of() { "$CDICT" diff "$@" --format csv made/comm-2.cdict made/comm-2.cdict 2>err.txt | tail -n +2 | wc -l; }
some=$(rows_of -n 10)
more=$(sed -n 's/.*: \.\.\. and \([0-9,]*\) more rows of changes; -n 0 prints all$/\1/p' err.txt)
all=$(rows_of -n 0)
verdict hostile_rows_that_are_cut_are_counted "$([ "$((some + ${more//,/}))" -eq "$all" ] && [ "$some" -gt 10000 ] && [ ! -s err.txt ] ||
	echo "$some rows and ${more:-none} more of $all: $(head -n 1 err.txt)")"
rm -f made/*
for kind in ${KINDS:-task comm vm exit syscall marker wakeup interrupt duration cpu fork loss label frame}; do
	python3 "$tools/make/mkhostile.py" made "${SEED:-1}" "$kind" || exit 1
	verdict "hostile_rows_by_$kind" "$(bounded --law made/"$kind"-*.cdict)"
	rm -f made/*
done
