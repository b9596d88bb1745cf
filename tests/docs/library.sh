#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: a program without the sanitizer loads the library
# libcdict as its users see it: the examples of libcdict(3) build and run, and a program gets the same rows as the
# commands print.
# needs: python3
set -u
# shellcheck source=/dev/null
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
export LD_LIBRARY_PATH=$BUILD

# example LANGUAGE - as the page has it
example() {
	awk -v what="$1" '
		$0 == ".\\\" example: " what { wanted = 1; next }
		wanted && /^\.EX$/ { on = 1; next }
		on && /^\.EE$/ { exit }
		on { gsub(/\\e/, "\\"); print }' "$TOP/doc/libcdict.3"
}
example c >example.c
example python >example.py

if nm -C "$BUILD/libcdict.so" 2>/dev/null | grep -q __asan; then
	skip the_examples_of_libcdict_run "the sanitizers' library needs a sanitizers' program"
	exit 0
fi
# as if its host had two threads per core: otherwise there are no siblings
python3 "$TOP/tests/tools/check/pairthreads.py" "$DATA/kvm-small.data" paired.data && "$CDICT" convert -q -i paired.data -o x.cdict || exit 1
"$CDICT" tasks x.cdict --format csv -n 5 >top.csv
python3 - >expected <<'END'
import csv
for row in csv.DictReader(open("top.csv", newline="")):
    print(row["name"], row["run_ns"])
END
"$CDICT" script x.cdict | awk '/sched:sched_switch:/ && !/ next_pid=0 / { n++ } END { print n + 0, "switches to tasks" }' >>expected

wrong=$("${CC:-cc}" -Wall -Wextra -Werror -I"$TOP/include" -o example example.c -L"$BUILD" -lcdict 2>&1 &&
	./example x.cdict 2>&1 | diff expected - 2>&1)
verdict the_C_example_builds_and_prints_what_the_commands_do "$wrong"
verdict the_Python_example_prints_the_same "$(python3 example.py x.cdict 2>err | diff expected - 2>&1; grep Traceback err)"

# Its last lines, by whichever Python has pandas: Debian's is not the first of every PATH.
pandas=
for python in python3 /usr/bin/python3; do
	[ -n "$pandas" ] || ! "$python" -c 'import pandas' 2>/dev/null || pandas=$python
done
if [ -n "$pandas" ]; then
	"$CDICT" tasks x.cdict --format json >tasks.json
	# the library reports loss separately from the columns
	python3 - >shape <<'END'
import json
rows = json.load(open("tasks.json"))["tasks"]
print((len(rows), len(set(rows[0]) - {"lossy"})))
END
	verdict the_data_frame_has_the_table_s_shape "$("$pandas" example.py x.cdict 2>&1 >frame.out | diff shape -; diff expected frame.out)"
else
	skip the_data_frame_has_the_table_s_shape "no Python has pandas"
fi

"$MKPERF" --formats "$DATA/formats" -o s.data "$DATA/syscalls.trace" && "$CDICT" convert -q --max-loss 100 -e "*" -i s.data -o s.cdict
# Compares every table with the command's JSON, cell by cell.
for pair in 'tasks tasks' 'tasks-cpus tasks --per-cpu' 'latency latency' 'latency-cpus latency --by cpu' \
	'exits exits' 'exits-reasons exits --by reason' 'exits-vms exits --by vm' 'guest exits' 'vcpu vcpu' \
	'vcpu-reasons vcpu' 'antagonists vcpu' 'delays vcpu' 'beside vcpu' 'capacity vcpu' 'coremap coremap' 'cpus coremap' \
	'events count' 'syscalls count --by syscall'; do
	read -r table command <<<"$pair"
	file=x.cdict
	[ "$table" != syscalls ] || file=s.cdict
	# shellcheck disable=SC2086 # a command is words
	"$CDICT" $command -q --max-loss 100 --format json $file >command.json
	verdict "the_rows_of_${table}_are_those_of_the_command" "$(python3 - $file "$table" 2>&1 >/dev/null <<'END'
import contextlib, io, json, sys
name = sys.argv[2]
with contextlib.redirect_stdout(io.StringIO()):
    exec(open("example.py").read().split("switches, times")[0])
keys, rows = table(reader, name)
document = json.load(open("command.json"))
members = {"vcpu-reasons": "reasons", "tasks-cpus": "tasks", "latency-cpus": "latency",
           "exits-reasons": "exits", "exits-vms": "exits", "events": "count", "syscalls": "count"}
want = document[members.get(name, name)]
assert len(rows) == len(want) > 0, f"{len(rows)} rows, the command has {len(want)}"
for row, other in zip(rows, want):
    row = dict(zip(keys, row))
    for key in set(other) - {"lossy"}:
        a, b = row[key], other[key]
        assert a == b or (isinstance(b, (bool, float)) and abs(a - b) <= 1e-9 * abs(b)), (key, a, b)
END
)"
done
