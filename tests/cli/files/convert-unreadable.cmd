# no permission: reported, status 1; root may read everything, so it becomes the user nobody first
nobody=
if [ $(id -u) -eq 0 ]; then
	# the files of a sanitizer are not accessible to nobody: it reports on stderr
	nobody='env -u ASAN_OPTIONS -u UBSAN_OPTIONS -u LSAN_OPTIONS
		setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 777 .
fi
# The user nobody may not enter root's home, where this checkout may be: the program and its inputs are here.
program=$CDICT
[ -z "${RUN-}" ] || program=$BUILD/cdict # and not the script that starts it there
cp $program $DATA/kvm-callchain.data .
cp kvm-callchain.data secret.data
chmod 000 secret.data
# valgrind cannot write its files as nobody
[ "${RUN-}" != valgrind ] || RUN=
# the files of gcov are not accessible to nobody either (make coverage)
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
