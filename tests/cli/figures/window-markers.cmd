# needs: jq
# windows between markers: the contents of each are in syscalls.trace
$MKPERF --formats $DATA/formats -o x.data $DATA/syscalls.trace
$CDICT convert -q --max-loss 100 -e '*' -i x.data -o x.cdict
gettime='sys_enter/id==228 && comm=="bench"/'
count() {
	$CDICT count --max-loss 100 --by syscall --format json "$@" >out
	echo "status $? $(jq -c '.window_ns, [.count[] | [.syscall, .calls, .returns, .time_ns]]' out)"
}
for pick in each first last outer rearmed; do
	count -q x.cdict --window-start "$gettime" --window-end "raw_syscalls:$gettime" --window-pick $pick
done
$CDICT count -q --max-loss 100 --by window,syscall x.cdict --window-start "$gettime" --window-end "$gettime"
$CDICT count -q --max-loss 100 --by window x.cdict --time '50,50.0001 50.0001,50.0002 50.0007,50.001' --format csv | tr -d '\r'
$CDICT count --by window --bucket 1 x.cdict
# the start without an end is reported; -v: the ends outside of windows
count -v x.cdict --window-start 'sys_enter/id==228 && tid==100 && cpu==0/' --window-end 'sys_enter/id == 0x1/' --window-pick first
# nested starts
count x.cdict --window-start 'sys_enter/id==0/' --window-end 'sys_exit/id==202/' --window-pick first
# one side alone; looked for within --time
count -q x.cdict --window-start 'sys_exit/ret < 0/'
count -q x.cdict --window-end 'sys_exit/ret == -32/'
count -q x.cdict --window-start "$gettime" --window-end "$gettime" --time 50.00045,50.0008
$CDICT script -q --max-loss 100 x.cdict --window-start "$gettime" --window-end "$gettime" -e sys_enter
# comm, by pattern; comm that does not match
count -q x.cdict --window-start 'sys_enter/comm ~ "bench?i*"/' --window-end 'sys_exit/comm != bench && (ret == -32 ? 1 : 0)/'
# no marker; a start and no end after it; invalid texts
try() {
	$CDICT count x.cdict "$@" 2>err
	echo "status $? $(cat err)"
}
try --window-start 'sys_enter/id==99/'
try --window-start 'sys_exit/ret==-32/' --window-end 'sys_exit/ret==-32/'
try --window-end 'sys_exit/ret==99/'
try --window-start sys_ente
try --window-start 'sys_enter/idd==1/'
try --window-start 'sys_enter/id==/'
try --window-start 'sys_enter/id==1'
try --window-start 'sys_enter/comm==1 2/'
try --window-start 'sys_enter/comm + 1/'
try --window-start "$gettime" --time '50,50.0001 50.0003,50.0005'
try --window-pick none
# a start and its end at one instant
$CDICT tasks -q --max-loss 100 x.cdict --window-start 'sys_enter/id==228/' --window-end 'sys_exit/id==228/' --window-pick last --format json | jq .window_ns
# a page shows one window
$CDICT heatmap --max-loss 100 x.cdict -o x.svg --view switches --window-start "$gettime" --window-end "$gettime"
ls
