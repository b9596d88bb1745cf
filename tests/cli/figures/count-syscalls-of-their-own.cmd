# needs: jq
# Recordings of syscalls:sys_enter_NAME and sys_exit_NAME count as those of raw_syscalls do, and both together once
mkdir formats
cp $DATA/formats/*.format formats
names='0=read 1=write 7=poll 15=rt_sigreturn 39=getpid 202=futex 228=clock_gettime'
id=3000
head='	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int __syscall_nr;	offset:8;	size:4;	signed:1;'
for pair in $names; do
	name=${pair#*=}
	printf 'name: sys_enter_%s\nID: %d\nformat:\n%s\n\nprint fmt: "%%d", REC->__syscall_nr\n' $name $((id += 1)) "$head" >formats/syscalls.sys_enter_$name.format
	printf 'name: sys_exit_%s\nID: %d\nformat:\n%s\n\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: "0x%%lx", REC->ret\n' $name $((id += 1)) "$head" >formats/syscalls.sys_exit_$name.format
	sed -i "s/raw_syscalls:sys_enter: id=${pair%=*}\( .*\|\)\$/syscalls:sys_enter_$name: __syscall_nr=${pair%=*}/
		s/raw_syscalls:sys_exit: id=${pair%=*} /syscalls:sys_exit_$name: __syscall_nr=${pair%=*} /" \
		$([ -e own.trace ] || cp $DATA/syscalls.trace own.trace; echo own.trace)
done
# the kernel has no syscalls: event of a return whose number is gone
grep -v 'raw_syscalls:sys_exit: id=-1' own.trace >x && mv x own.trace
grep -v 'sys_exit: id=-1' $DATA/syscalls.trace >raw.trace
grep -c raw_syscalls own.trace
{ cat raw.trace; grep '\] .*: syscalls:' own.trace; } |
	awk '/^ *[0-9]* *\[/ { t = $0; sub(/^[^]]*\] */, "", t); print t + 0, $0; next } { print 0, $0 }' OFMT=%.6f CONVFMT=%.6f |
	sort -s -n -k1,1 | cut -d' ' -f2- >both.trace
for which in raw own both; do
	$MKPERF --formats formats -o $which.data $which.trace
	$CDICT convert -q --max-loss 100 -e 'raw_syscalls,syscalls' -i $which.data -o $which.cdict
	$CDICT count -q --max-loss 100 $which.cdict --by task,syscall --format csv >$which.csv
done
wc -l <raw.csv
cmp raw.csv own.csv && cmp raw.csv both.csv && echo the same
$CDICT count -q --max-loss 100 own.cdict --by syscall -v
# only beginnings, or only ends
$CDICT convert -q --max-loss 100 -e 'sys_enter_*' -i own.data -o enter.cdict
$CDICT count --max-loss 100 enter.cdict --by syscall --format json | jq -c '.not_recorded, .total.calls, .total.returns'
# if the conversion left the calls out, converting again helps
for which in raw own; do
	$CDICT convert -q --max-loss 100 -e sched -i $which.data -o $which.cdict
	$CDICT count --by syscall --max-loss 100 $which.cdict >/dev/null
	echo "status $?"
done
