# libtraceevent pads to the width that an event gives: its crash stays in a child, and the fields are printed
mkdir formats
cat >formats/test.widths.format <<'F'
name: widths
ID: 900
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int a;	offset:8;	size:4;	signed:1;
	field:u32 b;	offset:12;	size:4;	signed:0;

print fmt: "%*d %zu", REC->a, REC->b, REC->b
F
sed 's/widths/sums/; s/900/901/; s/^print fmt.*/print fmt: "%d %zu", REC->a + REC->b, REC->b/' formats/test.widths.format >formats/test.sums.format
cat >in.trace <<'T'
cpus 1
event test:widths
event test:sums
proc 42 one
42 [000] 5.000000001: test:widths: a=6 b=2
42 [000] 5.000000002: test:sums: a=6 b=2
42 [000] 5.000000003: test:widths: a=2000000000 b=0
42 [000] 5.000000004: test:widths: a=6 b=3
42 [000] 5.000000005: test:sums: a=6 b=3
T
$MKPERF --formats formats -o in.data in.trace
$CDICT convert -q -e 'test:*' -i in.data -o in.cdict
$CDICT script in.cdict
