#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The plugin in other versions of perf, simulated by tests/tools/run/dlhost: Linux 5.14, with shorter
# samples, and a later one, with larger structures; and in a perf that misbehaves.
set -u
. "$TOP/tests/oracle/_lib.sh"

plugin=$BUILD/cdict-dlfilter.so
dlhost=$BUILD/tests/tools/run/dlhost
dumpstacks=$BUILD/tests/tools/check/dumpstacks
data=$DATA/kvm-callchain.data
samples=5711

# host HOW DLARG... [-- OPTIONS]
host() {
	local how=$1 args=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	rm -f p.cdict
	"$dlhost" "$how" "$plugin" "${args[@]}" -- script "$@" -i "$data" >host.out 2>host.err </dev/null
}

status_is() { [ "$2" -eq "$1" ] || { echo "status $2, $1 expected"; cat host.err; }; }
prints() { grep -qE "$1" host.err || { echo "not printed: $1"; cat host.err; }; }
nothing_left() { [ -z "$(ls -A out)" ] || ls -A out; }

check_size() { # HOW
	rm -rf out && mkdir out
	host "$1" out=out/p.cdict --
	status_is 0 $?
	[ "$(cat host.out)" = "$samples samples, 0 passed early, 0 printed" ] || cat host.out
	"$CDICT" script -G out/p.cdict >p.lines || echo "script ends with $?"
	differ c.lines p.lines
	[ "$(ls -A out)" = p.cdict ] || ls -A out
}

check_stacks() {
	host "$1" out=p.cdict --
	printf '%s\n' 'f_ffffffff81000010+0x10 ([unknown])' '[unknown] ([unknown])' \
		'f_400010+0x10 (a program)' '' >want
	"$dumpstacks" p.cdict | sed -n '2,5p' | cmp - want
	[ "$("$dumpstacks" p.cdict | wc -l)" -eq $((samples * 5)) ] || echo "not every event has its stack"
}

check_refused() { # WORDS HOW
	rm -rf out && mkdir out
	host "$2" out=out/p.cdict --
	status_is 5 $? # stop() says that it failed, and perf does not care
	prints "$1"
	[ "$(grep -c '' host.err)" -eq 2 ] || { echo "not printed once, and at the end:"; cat host.err; }
	[ "$(cat host.out)" = "$samples samples, 0 passed early, 0 printed" ] || cat host.out
	nothing_left
}

# With filters of perf the plugin takes the events that pass them.
check_late() {
	host late out=p.cdict -- -C 0-3
	status_is 0 $?
	[ "$(cat host.out)" = "$samples samples, $samples passed early, 0 printed" ] || cat host.out
	[ "$("$CDICT" script -G p.cdict | wc -l)" -eq $((samples / 2)) ] || echo "not every second event"
}

check_ends_without_stop() { # HOW
	rm -rf out && mkdir out
	host "$1" out=out/p.cdict --
	status_is 0 $?
	nothing_left
}

check_print() {
	host new print=1 out=p.cdict --
	[ "$(cat host.out)" = "$samples samples, $samples passed early, $samples printed" ] ||
		cat host.out
}

[ -x "$dlhost" ] || { echo "not ok dlhost_is_built"; exit 1; }
cd "$(mktemp -d)" || exit 1
"$CDICT" convert -q --no-stacks -i "$data" -o c.cdict && "$CDICT" script c.cdict >c.lines || exit 1
verdict structures_of_linux_5.14 "$(check_size old)"
verdict structures_that_have_grown "$(check_size new)"
verdict stacks_of_linux_5.14 "$(check_stacks old)"
verdict stacks_where_structures_have_grown "$(check_stacks new)"
verdict structures_that_are_too_short \
	"$(check_refused "^cdict-dlfilter: samples are too short: needs perf of Linux 5.14 or later; nothing stored$" tiny)"
verdict a_perf_without_attr "$(check_refused '^cdict-dlfilter: this perf does not pass' no-attr)"
verdict only_what_perf_s_filters_let_through "$(check_late)"
verdict an_exit_without_stop_leaves_nothing "$(check_ends_without_stop abandon)"
verdict an_unload_without_stop_leaves_nothing "$(check_ends_without_stop no-stop)"
# Functions of perf that only stacks and filters need are not called otherwise.
host tiny,no-attr stacks=0 out=p.cdict --
verdict samples_are_read_from_the_recording "$(cmp c.cdict p.cdict)"
verdict print_returns_zero "$(check_print)"
