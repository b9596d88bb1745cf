# no permission: told, status 1; root may read everything, so it becomes nobody first
nobody=
if [ $(id -u) -eq 0 ]; then
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 777 .
fi
cp $DATA/kvm-callchain.data secret.data
chmod 000 secret.data
if ! $nobody $CDICT --version >/dev/null 2>&1; then
	echo "$nobody cannot run $CDICT" >&2
	exit 77
fi
$nobody $CDICT convert -o x.cdict secret.data
echo "status $?"
mkdir closed
chmod 555 closed
$nobody $CDICT convert -q -o closed/x.cdict $DATA/kvm-callchain.data
echo "status $?"
ls -A . closed
