#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# memcheck.sh PROGRAM ARG...  - runs PROGRAM under memcheck, a hundred times as slow, or only runs it.
#
# MEMCHECK_SHARE=N: under memcheck are a job's first call of each command and of its other calls every Nth, SAMPLE says
# which; N=1: all.  Calls that read files of more than 8 MB run without it: what memcheck finds depends on the code that
# runs, not on how often.  tests/run prints the number of calls under memcheck, the lines of $MEMCHECKED.  $dir has the
# job's files; $VALGRIND is valgrind's path, as a test may set PATH.

# valgrind would open its log in the place of a closed standard output
[ -e /proc/self/fd/1 ] || exec "$@"
for file; do
	[ "$file" != "$1" ] && [ -f "$file" ] && [ -n "$(find -L "$file" -size +8192k 2>/dev/null)" ] && exec "$@"
done
dir=${dir:?}
# another user may write neither the count nor a report
[ -w "$dir/run" ] || exec "$@"
share=${MEMCHECK_SHARE:-1}
if [ "$share" -le 1 ]; then
	echo >>"$MEMCHECKED"
	exec "$VALGRIND" "$@"
fi
case ${2-} in
[a-z]*) seen=$dir/run/seen.${2%%/*} ;;
*) seen=$dir/run/seen.option ;;
esac
n=$SAMPLE
[ -e "$dir/run/calls" ] && read -r n <"$dir/run/calls"
echo $((n + 1)) >"$dir/run/calls"
[ ! -e "$seen" ] || [ $((n % share)) -eq 0 ] || exec "$@"
: >"$seen"
echo >>"$MEMCHECKED"
exec "$VALGRIND" "$@"
