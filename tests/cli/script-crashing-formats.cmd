# libtraceevent divides by what an event holds: its crash stays in a child, and the fields are printed
mkdir formats
cat >formats/test.halves.format <<'F'
name: halves
ID: 900
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int a;	offset:8;	size:4;	signed:1;
	field:u32 b;	offset:12;	size:4;	signed:0;

print fmt: "%d %zu", REC->a / REC->b, REC->b
F
sed 's/halves/sums/; s/900/901/; s,/ REC->b,+ REC->b,' formats/test.halves.format >formats/test.sums.format
cat >in.trace <<'T'
cpus 1
event test:halves
event test:sums
proc 42 one
42 [000] 5.000000001: test:halves: a=6 b=2
42 [000] 5.000000002: test:sums: a=6 b=2
42 [000] 5.000000003: test:halves: a=6 b=0
42 [000] 5.000000004: test:halves: a=6 b=3
42 [000] 5.000000005: test:sums: a=6 b=3
T
$MKPERF --formats formats -o in.data in.trace
$CDICT convert -q -e 'test:*' -i in.data -o in.cdict
$CDICT script in.cdict
