# a recording of trace-cmd is converted, or its lack of events reported; commands that read only cdicts report it
# needs: python3
$MKPERF --formats $DATA/formats -o run.data $DATA/two-vcpus.trace
python3 "$TOP/tests/tools/make/mktracedat.py" --guest web,255,1001,1002 --trace-id 4660 run.data trace.dat
"$CDICT" convert trace.dat
"$CDICT" info trace.cdict | grep -v 'file\|blocks\|bytes'
"$CDICT" vcpu trace.dat
cat trace.dat | "$CDICT" exits --vm web
"$CDICT" annotate trace.dat --clear
printf '\x17\x08\x44tracing6\0\0\10\0\0\20\0' >cut.dat
"$CDICT" tasks cut.dat
echo "status $?"
printf '\x17\x08\x44tracing5\0\0\10\0\0\20\0' | "$CDICT" convert -o x.cdict
ls
