# SPDX-License-Identifier: GPL-2.0-only
# To be sourced, in a folder of one's own: a command run again and again, with another allocation failing each time.
NOMEM=$BUILD/tests/tools/preload/nomem.so
# A command of hundreds of allocations is tried at each of the first SOME, then at as many others.
SOME=${NOMEM_SOME:-15}

if [ ! -e "$NOMEM" ] || nm -C "$CDICT" 2>/dev/null | grep -q ' __asan_init$'; then
	echo "nomem: the sanitizers' build has an allocator of its own" >&2
	exit 77
fi

# What a command writes instead of printing it: there with status 0, and not at all with 1.
FILE_MADE=
# What is to be done before each run, of a command that uses something up.
BEFORE=true

# try NAME HOW N COMMAND... - one run in which allocation N fails; says what is wrong
try() {
	local how=$2 n=$3 rc
	shift 3
	[ -z "$FILE_MADE" ] || rm -f "$FILE_MADE"
	$BEFORE
	env LD_PRELOAD="$NOMEM" "NOMEM_$how=$n" "$@" >out 2>err </dev/null
	rc=$?
	case $rc in
	0)
		cmp -s out want.out || grep -q "^cdict.*${TOLD-^}" err || echo "$how $n: status 0 and other output"
		[ -z "$FILE_MADE" ] || cmp -s "$FILE_MADE" want.file || echo "$how $n: status 0 and another file"
		;;
	1)
		[ -n "${SEVERAL_LINES-}" ] || [ "$(wc -l <err)" -eq 1 ] || echo "$how $n: $(wc -l <err) lines: $(head -n 3 err | tr '\n' '|')"
		grep -q '^cdict' err || echo "$how $n: $(head -n 1 err)"
		[ -s out ] && [ -z "${PRINTS_AS_IT_GOES-}" ] && echo "$how $n: status 1 after output"
		[ -n "$FILE_MADE" ] && [ -e "$FILE_MADE" ] && echo "$how $n: status 1 and a file"
		;;
	*) echo "$how $n: status $rc: $(head -n 1 err)" ;;
	esac
}

# walk NAME COMMAND...
walk() {
	local name=$1 all step wrong= failed=0 n
	shift
	$BEFORE
	env LD_PRELOAD="$NOMEM" NOMEM_LOG=9 "$@" >want.out 2>err 9>count </dev/null || {
		echo "not ok $name"
		sed 's/^/    # /' err
		return
	}
	# those that it starts log theirs
	all=$(sort -n count | tail -n 1)
	[ -z "$FILE_MADE" ] || cp "$FILE_MADE" want.file
	step=$((all / SOME + 1))
	for ((n = 1; n <= all; n += n < SOME ? 1 : step)); do
		wrong+=$'\n'$(try "$name" AT $n "$@")
		[ -s err ] && failed=$((failed + 1))
	done
	for ((n = 1; n <= all; n += step)); do
		wrong+=$'\n'$(try "$name" FROM $n "$@")
	done
	# stdio does without one
	[ $failed -gt 10 ] || [ $failed -ge $((all - 1)) ] || wrong+=$'\n'"only $failed of $all failures were told"
	wrong=$(grep . <<<"$wrong")
	if [ -z "$wrong" ]; then
		echo "ok $name"
	else
		echo "not ok $name"
		head -n 20 <<<"$wrong" | sed 's/^/    # /'
	fi
}
