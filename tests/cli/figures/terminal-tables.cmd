# needs: python3
# Tables on a terminal: rows of one line at any width, durations with units; a pager for longer tables.
unset PAGER CDICT_PAGER LESS COLUMNS LINES
. $TOP/tests/tools/run/terminals.sh
on() { terminals python3 $TOP/tests/tools/run/terminal.py "$@"; }
on 80 24 true || exit 77
$MKPERF -o x.data $DATA/neighbours.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT convert -q -i $DATA/kvm-small.data -o small.cdict
$MKPERF -o wide.data $DATA/wide.trace
$CDICT convert -q -i wide.data -o wide.cdict
# no row of any table is longer than the terminal is wide, and each width has at least two columns
cat >all.sh <<'END'
for command in tasks 'tasks --by group' 'tasks --by role' exits 'exits --by vm' vcpu 'vcpu --by reason' 'vcpu --by antagonist' 'vcpu --by vm' \
	latency 'latency --by cpu' coremap switches 'successors -t .'; do
	for file in x small wide; do
		echo "=== $command $file"
		$CDICT $command $file.cdict -q --no-pager
	done
done
END
for columns in 20 40 80 120 200; do
	on $columns 100 bash all.sh >out
	awk -v most=$columns '
		/^===/ { what = $0 }
		/^---/ && !inside { inside = 1; rows++; if (length(before) > most) print most " columns, " what ": " before }
		inside && !/^\(/ && length > most { print most " columns, " what ": " $0 }
		!NF { inside = 0 }
		{ before = $0 }
		END { print rows " tables at " most " columns" }' out
done
for columns in 40 80 120; do
	echo "--- $columns"
	on $columns 100 $CDICT vcpu x.cdict | sed -n '/^task/,$p'
	on $columns 100 $CDICT vcpu --by vm x.cdict | sed -n '/^VM/,$p'
done
# at 200 the columns of -v, as far as there is room; with -v all of them at any width
on 200 100 $CDICT vcpu --by vm x.cdict | sed -n '/^VM/p'
on 40 100 $CDICT vcpu -v --by vm x.cdict | sed -n '/^VM/p'
COLUMNS=60 on 200 100 $CDICT tasks x.cdict | sed -n '/^task/,/^(/p'
# not a terminal: as ever
COLUMNS=60 $CDICT tasks x.cdict | cmp - <($CDICT tasks x.cdict)
# the pager, for longer output only, and for people only
export CDICT_PAGER='sed s/^/paged:/'
on 80 8 $CDICT vcpu x.cdict | sed -n 1p
on 80 100 $CDICT vcpu x.cdict | sed -n 1p
on 80 8 $CDICT vcpu x.cdict --no-pager | sed -n 1p
on 80 8 $CDICT vcpu x.cdict --json | sed -n 1p
PAGER=false CDICT_PAGER= on 80 8 $CDICT vcpu x.cdict | sed -n 1p
# one that ends early, or cannot be started, is not a failure; loss is reported nevertheless
CDICT_PAGER='head -n 1' on 80 8 $CDICT tasks small.cdict && echo "status $?"
CDICT_PAGER=true on 80 8 $CDICT tasks small.cdict && echo "status $?"
CDICT_PAGER='head -n 1; exit 3' on 80 8 $CDICT tasks small.cdict && echo "status $?"
# heat maps: 24-bit colours where the terminal says so, else 256 with half blocks in UTF-8, else letters
unset COLORTERM NO_COLOR LC_ALL LC_CTYPE LANG
export PYTHONCOERCECLOCALE=0
codes() { grep -o -a $'\033\[[34]8;[25]' | sort | uniq -c | sed "s/^ *[1-9][0-9]* /some /; s/$(printf '\033')/ESC/"; }
for how in 'TERM=xterm-256color LANG=C.UTF-8' 'TERM=xterm-256color LANG=C' 'TERM=xterm LANG=C.UTF-8' 'TERM=xterm LANG=C COLORTERM=truecolor' \
	'TERM=xterm-256color LANG=C.UTF-8 NO_COLOR=1'; do
	echo "$how"
	terminals env $how python3 $TOP/tests/tools/run/terminal.py 80 24 $CDICT heatmap small.cdict | codes
done
