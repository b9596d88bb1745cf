# no permission: told, status 1; root may read everything, so it becomes nobody first
nobody=
if [ $(id -u) -eq 0 ]; then
	# where a sanitizer would report and what it would read is not for nobody: it speaks on stderr
	nobody='env -u ASAN_OPTIONS -u UBSAN_OPTIONS -u LSAN_OPTIONS
		setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 777 .
fi
# Nobody may not enter root's home, where this checkout may be: what is run and read is here.
program=$CDICT
[ -z "${RUN-}" ] || program=$BUILD/cdict # and not the script that starts it there
cp $program $DATA/kvm-callchain.data .
cp kvm-callchain.data secret.data
chmod 000 secret.data
# what gcov would write is not for nobody either (make coverage)
as_nobody() {
	$nobody ${RUN-} ./cdict "$@" 2>err
	echo "status $?"
	grep -v '^profiling:' err >&2
	rm err
}
as_nobody convert -o x.cdict secret.data
mkdir closed
chmod 555 closed
as_nobody convert -q -o closed/x.cdict kvm-callchain.data
ls -A . closed
