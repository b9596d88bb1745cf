#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs a COMMAND that forks once, like perf bench sched pipe, with parent and child on different CPUs
# (0 and 1), so that every wake-up crosses CPUs. The status is the command's.
set -u
"$@" &
pid=$!
child=
for ((i = 0; i < 500 && ! ${child:-0}; i++)); do
	read -r child _ 2>/dev/null <"/proc/$pid/task/$pid/children" || sleep 0.01 # fails without a newline: found or not
done
if [ -z "$child" ] || ! taskset -pc 0 "$pid" >/dev/null || ! taskset -pc 1 "$child" >/dev/null; then
	echo "apart.sh: the two tasks of '$*' could not be put on CPUs 0 and 1" >&2
	kill "$pid"
	exit 1
fi
wait "$pid"
