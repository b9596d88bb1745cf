# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced after oracle/_lib.sh: functions shared by the tests of cdict record.

# field NAME FILE - of info's loss
field() { "$CDICT" info -q --max-loss 100 --format json "$2" | sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" | head -n 1; }
about() { "$CDICT" info -q --max-loss 100 --format json "$2" | sed -n "s/^ *\"$1\": \"\(.*\)\",*$/\1/p"; }
events() { "$CDICT" info -q --max-loss 100 "$1" | sed -n 's/^events  *\([0-9,]*\)$/\1/p' | tr -d ,; }

# ready PID - until it records: every event is enabled, and it waits for the signal that ends it
ready() {
	local n=0
	until grep -q sigtimedwait "/proc/$1/wchan" || ! kill -0 "$1" || [ $((n += 1)) -gt 3000 ]; do sleep 0.02; done 2>/dev/null
}

# start_recording OPTIONS... - in the background, under load for a second; sets pid
start_recording() {
	rm -f x.cdict
	"$CDICT" record -q -o x.cdict "$@" 2>rec.err &
	pid=$!
	ready $pid
	perf bench sched pipe -l 20000 >/dev/null 2>&1
}

# in_terminal NAME COMMAND - run, or skipped
in_terminal() {
	if terminals true 2>why; then
		run "$@"
	else
		skip "$1" "no pseudo-terminals: $(tail -n 1 why)"
	fi
}

# may_record - prints the reason if recording is not possible
may_record() {
	have_perf || { echo "perf is not installed" >&2; return 1; }
	cd "$(mktemp -d)" || return 1
	if ! perf record -q -e sched:sched_switch -a -o may.data -- true 2>may.err; then
		echo "perf may not record tracepoints here: $(grep -v '^ *$' may.err | head -n 1)" >&2
		return 1
	fi
}

run() { # NAME CASE...
	local name=$1 folder
	shift
	folder=$(mktemp -d "$PWD/case.XXXXXX") && cd "$folder" || exit 1
	verdict "$name" "$("$@" 2>&1)"
	cd .. && rm -rf "$folder"
}
