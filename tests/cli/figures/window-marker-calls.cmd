# needs: jq
# the system calls that mark windows are not counted; re-armed windows: the contents of each are in marker-writes.trace
$MKPERF --formats $DATA/formats -o x.data $DATA/marker-writes.trace
$CDICT convert -q -e '*' -i x.data -o x.cdict
count() {
	$CDICT count --by syscall --format json x.cdict "$@" --window-start 'print/buf ~ "begin*"/' --window-end 'print/buf ~ "end*"/' >out
	echo "status $? $(jq -c '.window_ns, [.count[] | [.syscall, .calls, .returns, .time_ns]]' out)"
}
for pick in each first last outer rearmed; do
	echo $pick
	count --window-pick $pick
done
count -v --window-pick rearmed 2>&1
# without returns of calls
$CDICT convert -q -e 'ftrace:*' -e raw_syscalls:sys_enter -i x.data -o x.cdict
count -q --window-pick rearmed
