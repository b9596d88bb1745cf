# the nearest command, option, event and column to a misspelt one
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o record.cdict
try() {
	"$CDICT" "$@" 2>&1 | head -n 1
}
try taks
try cnvert
try lat
try help reprot
try tasks --fromat csv
try tasks --merge-system-tasks
try record --mmap-page 4M --nothing-like-it
try script -e sched:sched_swich
try script -e kvm_exits
try script -e '*'nothing
try xyzzy
for version in -V --version version; do
	[ "$("$CDICT" $version)" = "$("$CDICT" --version)" ] || echo "$version says something else"
done
"$CDICT" tasks record.cdict -n 1 --json | cmp - <("$CDICT" tasks record.cdict -n 1 --format json) && echo same
"$CDICT" info record.cdict --json | cmp - <("$CDICT" info record.cdict --format json) && echo same
