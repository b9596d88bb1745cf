#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while recording, and within perf. No two recordings are equal, so the file must be complete,
# or cut with status 2 and a reason, or absent with status 1 and a reason.
# waits: 1
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"

# points ALL - half of SOME of the first, then SOME others, and half of SOME from which on all fail; by SAMPLE
points() {
	local n step=$(($1 / SOME + 1)) shift

	[ "${EVERY-}" != 1 ] || step=1
	shift=$((${SAMPLE:-0} % step))
	for ((n = 1; n <= SOME / 2 && n <= shift; n++)); do
		echo "AT=$n"
	done
	for ((n = 1 + shift; n <= $1; n += n < SOME / 2 ? 1 : step)); do
		echo "AT=$n"
	done
	for ((n = 1 + shift; n <= $1; n += 2 * step - 1)); do
		echo "FROM=$n"
	done
}
# counted COMMAND... - its allocations, in a run that ends well
counted() {
	env LD_PRELOAD="$NOMEM" NOMEM_LOG=9 "$@" 9>count >out 2>err </dev/null
	sort -n count | tail -n 1
}
whole() { "$CDICT" info -q --verify "$1" 2>&1 | grep -q whole; }

recorded() {
	local point reported=0 status

	for point in $(points "$(counted "$@")"); do
		rm -f x.cdict
		env LD_PRELOAD="$NOMEM" "NOMEM_$point" "$@" >out 2>err </dev/null
		status=$?
		[ $status -eq 0 ] || reported=$((reported + 1))
		case $status in
		0) [ ! -s err ] || grep -q 'memory' err || head -n 1 err ;;
		1) [ ! -e x.cdict ] || echo "a file with status 1" ;;
		2) [ -e x.cdict ] || echo "none with status 2" ;;
		127) # glibc's own end where a thread calls libdw or libstdc++ for the first time: as after SIGKILL
			grep -q 'cannot allocate memory for thread-local data: ABORT' err || echo "status 127: $(head -n 1 err)"
			[ ! -e x.cdict ] || "$CDICT" info -q --verify x.cdict | grep -qE 'is truncated at byte|whole' || echo "the remaining file is not readable"
			;;
		*) echo "status $status" ;;
		esac >wrong
		[ $status -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || echo "$(wc -l <err) lines: $(tr '\n' '|' <err)" >>wrong
		# ENOMEM of the kernel's is what rings of other recorders leave, too
		[ $status -eq 0 ] || grep -qE 'memory|cannot lock' err || head -n 1 err >>wrong
		[ ! -e x.cdict ] || [ $status -ne 0 ] || whole x.cdict || echo "not whole with status 0" >>wrong
		sed "s/^/$point: /" wrong
	done
	[ $reported -gt 5 ] || echo "only $reported failures were reported"
}

# symbols HOW MOST STEP - libdw's own allocations.  It crashes itself on some (0.188: dwfl_module_eh_cfi(), dwarf_next_cfi(),
# and cache_sections(), whose half-made table the next dwfl_module_addrinfo() reads): then the file is unchanged up to
# then, as after SIGKILL.
symbols() {
	local n how status

	export NOMEM_OF=libdw
	for ((n = 1; n < $2; n += $3)); do
		for how in AT FROM; do
			rm -f x.cdict
			env LD_PRELOAD="$NOMEM" NOMEM_$how=$n "$CDICT" record -q --max-loss 100 --call-graph "$1" --no-names -m 1M \
				-o x.cdict true 2>err
			status=$?
			case $1:$status in
			*:0) whole x.cdict || echo "$how $n: not whole" ;;
			*:139) "$CDICT" info -q --verify x.cdict | grep -q 'is truncated at byte' || echo "$how $n: the remaining file is not readable" ;;
			*) echo "$how $n: status $status: $(head -n 1 err)" ;;
			esac
		done
	done
}

# A table has rows, or is missing.
looked() {
	local point reported=0 status

	for point in $(points "$(counted "$@")"); do
		env LD_PRELOAD="$NOMEM" "NOMEM_$point" "$@" >out 2>err </dev/null
		status=$?
		case $status in
		0) [ "$(wc -l <out)" -gt 3 ] || echo "$point: status 0 and $(wc -l <out) lines" ;;
		1)
			reported=$((reported + 1))
			[ "$(wc -l <err)" -eq 1 ] && grep -qE 'memory|cannot lock' err || echo "$point: $(head -n 2 err)"
			;;
		*) echo "$point: status $status" ;;
		esac
	done
	[ $reported -gt 5 ] || echo "only $reported failures were reported"
}

# Within perf only the filter's allocations fail; its status is perf's.  libtraceevent's own crash is known (nomem.c).
within_perf() {
	local point reported=0 crashed=0 status out=x.cdict
	local command=(perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=x.cdict --dlarg quiet=1 -i in.data)

	cp "$DATA/kvm-callchain.data" in.data
	export NOMEM_OF=cdict-dlfilter
	for point in $(points "$(counted "${command[@]}")"); do
		[ -e want.txt ] || "$CDICT" script x.cdict >want.txt
		rm -f $out
		env LD_PRELOAD="$NOMEM" "NOMEM_$point" "${command[@]}" >out 2>err </dev/null
		status=$?
		if [ $status -eq 139 ]; then
			crashed=$((crashed + 1))
		elif [ -e $out ]; then
			! grep -q damaged err || echo "$point: $(grep damaged err)"
			"$CDICT" script $out | cmp -s - want.txt || echo "$point: another file"
		else
			grep -qE '^cdict-dlfilter.*(out of memory|Cannot allocate memory)' err || echo "$point: $(tail -n 1 err)"
			reported=$((reported + 1))
		fi
		rm -f $out.old
	done
	[ $reported -gt 5 ] || echo "only $reported failures were reported"
	[ $crashed -le 2 ] || echo "$crashed runs crashed"
}

if "$CDICT" record -q -s 0.01 --no-names -m 512K -o may.cdict 2>may.err; then
	verdict nomem_record "$(recorded "$CDICT" record -q --max-loss 100 -s 0.02 --no-names -m 512K -o x.cdict 2>&1)"
	verdict nomem_record_stacks "$(recorded "$CDICT" record -q --max-loss 100 -g -s 0.02 --no-names -m 512K -o x.cdict 2>&1)"
	verdict nomem_record_symbols "$(symbols fp 70 3 2>/dev/null)"
	if "$CDICT" record -q --max-loss 100 --call-graph dwarf --no-names -m 512K -o may.cdict true 2>may.err; then
		verdict nomem_record_unwound "$(symbols dwarf 70 6 2>/dev/null)"
	else
		skip nomem_record_unwound "$(grep -o 'libdw.*installed' may.err || head -n 1 may.err)"
	fi
	verdict nomem_top "$(looked "$CDICT" top -q --seconds 1 --no-names -m 512K 2>&1)"
else
	for name in record record_stacks record_symbols record_unwound top; do
		skip "nomem_$name" "$(head -n 1 may.err)"
	done
fi
if have_perf; then
	verdict nomem_plugin "$(within_perf 2>&1)"
else
	skip nomem_plugin "perf is not installed"
fi

"$CDICT" job create 2001 --store jobs
if "$CDICT" push -q --store jobs --job 2001 -e page-faults,sched:sched_switch -- true 2>/dev/null; then
	walk nomem_push_counts "$CDICT" push -q --store jobs --job 2001 -e page-faults,sched:sched_switch -- true
else
	skip nomem_push_counts "no rights to trace"
fi
