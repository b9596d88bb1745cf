# what trace-cmd recorded is known, and how to record otherwise is said
printf '\x17\x08\x44tracing6\0\0\10\0\0\20\0' >trace.dat
for how in 'tasks trace.dat' 'convert trace.dat' 'info trace.dat' 'script -i trace.dat' 'annotate trace.dat --clear'; do
	# shellcheck disable=SC2086
	"$CDICT" $how
	echo "status $?"
done
cat trace.dat | "$CDICT" tasks
cat trace.dat | "$CDICT" convert -o x.cdict
ls
