# needs: python3
# a task's name may contain any text: harmless in every format
ln -s $DATA/formats formats
cat >evil.trace <<'END'
cpus 1
proc 301 "</script>"
proc 302 "=1+1,x|"
proc 303 "\x1b[2J\xff\n"
301 [000] 10.000000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
302 [000] 10.000100: sched:sched_switch: prev_pid=302 prev_state=S next_pid=303
303 [000] 10.000300: sched:sched_switch: prev_pid=303 prev_state=S next_pid=302
END
$MKPERF -o evil.data evil.trace && $CDICT convert -q -i evil.data -o evil.cdict || exit
$CDICT tasks evil.cdict -s tid
$CDICT tasks evil.cdict -s tid --format csv | grep -o '^.*,30[123],30[123],' | tr -d '\r'
$CDICT tasks evil.cdict -s tid --format md | grep '30[123]'
$CDICT tasks evil.cdict --format json |
	python3 -c 'import json,sys; print(*sorted(ascii(r["name"]) for r in json.load(sys.stdin)["tasks"]))'
