#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# Runs each block of doc/sweep.md: medians and quartiles by pandas, sizes, command lines, system calls between markers by their lines.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
mkdir bin && ln -s "$CDICT" bin/cdict && ln -s "$BUILD/tests/bench/_measure/diskread" bin && PATH=$PWD/bin:$PATH

# the Python that has pandas
for python in python3 /usr/bin/python3; do
	[ -e bin/python3 ] || ! "$python" -c 'import pandas' 2>/dev/null || ln -s "$(command -v "$python")" bin/python3
done

# section N: into sN.sh
awk '/^## / { n++ } /^    / && n { print substr($0, 5) > ("s" n ".sh") }' "$TOP/doc/sweep.md"
run() { bash -e s"$1".sh >out"$1" 2>err"$1" </dev/null || echo "status $?: $(tail -n 5 err"$1" out"$1")"; }

bandwidth() {
	run 1
	[ "$(wc -l <out1)" = 11 ] || cat out1
	[ "$(head -c 4 disk.png | tail -c 3)" = PNG ] || echo "disk.png is no PNG"
	# a dashed line in the colour, and its name in the legend
	for mark in '4KB d62728' '64KB 1f5fd6'; do
		grep -q ">${mark% *}</text>" disk.svg || echo "no ${mark% *} in the legend"
		[ "$(grep -c "stroke=\"#${mark#* }\"" disk.svg)" -gt 1 ] || [ "$(grep -o "#${mark#* }" disk.svg | wc -l)" -gt 1 ] ||
			echo "no line of ${mark% *} in #${mark#* }"
	done
	grep -q '3 runs of 3 samples per value' disk.svg || echo "the subtitle does not have the samples"
}
verdict a_benchmarks_bandwidth "$(bandwidth)"
if [ -e bin/python3 ]; then
	verdict pandas_has_the_same_quartiles "$(run 2
		[ "$(cat out2)" = "10 block sizes: medians and quartiles are equal" ] || cat out2)"
else
	skip pandas_has_the_same_quartiles 'no Python has pandas'
fi
sizes() {
	run 3
	[ "$(cat passed)" = $'512 512\n4096 4K\n65536 64K' ] || cat passed
	grep -qF '{b} passes sizes as plain numbers, 4K as 4096' err3 || cat err3
	grep -qF '2,048 values, more than 200' err3 || cat err3
	[ "$(tail -n 1 out3)" = "status 129" ] || cat out3
}
verdict sizes_are_passed_as_the_message_says "$(sizes)"
verdict command_lines_are_compared "$(run 4
	python3 -c 'import json; print([(r["command"], len(r["times"]), r["mean"] > 0.009) for r in json.load(open("times.json"))["results"]])' |
		diff - <(echo "[('sleep 0.01', 3, True), ('sleep 0.02', 3, True)]"))"
if [ "$(uname -m)" != x86_64 ]; then
	skip calls_between_markers "the numbers of the system calls are those of x86-64"
elif ! cdict record -q -s 0.1 -e raw_syscalls:sys_enter -o try.cdict 2>why; then
	skip calls_between_markers "$(tail -n 1 why)"
else
	# two windows of n reads in each of two runs
	verdict calls_between_markers "$(run 5
		grep '^n [0-9]' out5 | diff - <(for n in 10 20; do for run in 0 1; do echo "n $n run $run calls $((2 * n))"; done; done))"
fi
