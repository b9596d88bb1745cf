# a full disk: reported, status 1, the old file stays, nothing half-written
$CDICT convert -q -o /dev/full $DATA/kvm-small.data
echo "device: status $?"
$CDICT convert -q -o - $DATA/kvm-small.data >/dev/full
echo "stdout: status $?"
mkdir small
cat >inside <<'END'
mount -t tmpfs -o size=32k tmpfs small || exit 77
echo before >small/x.cdict
$CDICT convert -q -o small/x.cdict $DATA/kvm-small.data
echo "file: status $?"
ls -A small
cat small/x.cdict
umount small
END
# a mount of its own, which ends with the process; in a chroot, where / is not a mount that could be made
# private, when it is unmounted
apart='unshare -rm'
$apart true 2>/dev/null || apart='unshare -m --propagation unchanged'
CDICT=$CDICT DATA=$DATA $apart bash inside 2>err
status=$?
if [ $status -eq 77 ] || grep -q '^unshare' err; then
	echo "no mount here: $(head -n 1 err)" >&2
	exit 77
fi
cat err >&2
