# a full disk is reported; a closed pipe is not
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
cp $DATA/kvm-small.data x.data
mkdir -p proc/100/task/100
printf '%s\0' qemu-system-x86_64 -name guest=one -uuid 11111111-0000-4000-8000-000000000001 >proc/100/cmdline
echo '100 (qemu-system-x86) S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5000 0' | tee proc/100/stat >proc/100/task/100/stat
echo qemu-system-x86 >proc/100/comm
for words in help 'help top' '--completion bash' 'info x.cdict' 'tasks x.cdict' 'exits x.cdict' 'script x.cdict' \
	'vcpu x.cdict' 'latency x.cdict' 'coremap x.cdict' 'switches x.cdict' 'successors -t CPU x.cdict' 'stats x.cdict' \
	'diff x.cdict x.cdict' 'heatmap -q x.cdict' 'heatmap -q x.cdict -o - --format-out svg' 'report -q x.cdict -o -' 'convert -q -i x.data -o -' \
	'annotate -q x.cdict --anonymize -o -' 'identify --proc-root proc --libvirt off'; do
	$CDICT $words >/dev/full
	echo "$words: status $?"
done
for format in text csv md json; do
	$CDICT query 'SELECT * FROM sched_slice' x.cdict --format $format >/dev/full
	echo "query $format: status $?"
done
for to in csv chrome pfw; do
	$CDICT export -q x.cdict --to $to >/dev/full
	echo "export $to: status $?"
done
$CDICT info x.cdict >&-
echo "closed: status $?"
(trap '' PIPE; $CDICT script x.cdict) | head -n 0
echo "ignored pipe: status ${PIPESTATUS[0]}"
