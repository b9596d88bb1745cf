# needs: python3
# The output of each command for people on a terminal of 80, 120 and 200 columns: no line is longer; long output through the pager.
unset PAGER CDICT_PAGER LESS COLUMNS LINES
export CDICT_STORE=$PWD/jobs
. $TOP/tests/tools/run/terminals.sh
on() { terminals python3 $TOP/tests/tools/run/terminal.py "$@"; }
on 80 24 true || exit 77
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
cp x.cdict named.cdict
$CDICT annotate -q named.cdict --map $DATA/kvm-small.map.csv
$CDICT job create 2001 --info 'before the upgrade of the hypervisors, at night, with the customers asleep' && $CDICT push -q --job 2001 named.cdict
$CDICT sweep -q -L size=1,2 -L longname=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -n 2 --metric wall --metric user -o sweep.json -- true {size} {longname} >/dev/null
printf 'main;a_function_with_a_name_that_is_longer_than_most_of_them_are_when_written_in_c;read %d\nmain;write %d\n' 41 7 >x.folded
printf '++,worker,handle_a_request_of_a_customer_that_is_long,12,60.5,1000,2000\n+++,worker,read,7,20.5,500,900\n' >x.log
# a VM whose name's characters take two columns each
awk -F, -v OFS=, 'NR > 1 && $2 != "" { $2 = "仮仮仮仮仮仮仮仮仮仮仮仮仮仮仮仮仮仮仮仮" } 1' $DATA/kvm-small.map.csv >wide.csv
cp x.cdict wide.cdict && $CDICT annotate -q wide.cdict --map wide.csv && $CDICT job create 2002 && $CDICT push -q --job 2002 wide.cdict
cat >all.sh <<'END'
while read -r command; do
	echo "=== $command"
	eval "$CDICT $command"
done <<'COMMANDS'
info named.cdict --no-pager
info named.cdict --labels --no-pager
stats named.cdict --no-pager
count named.cdict --no-pager
count named.cdict --by task --no-pager
diff x.cdict named.cdict --no-pager
diff named.cdict named.cdict --no-pager
query 'SELECT * FROM sched_switch LIMIT 40' named.cdict --no-pager
query 'SELECT * FROM thread_state LIMIT 40' named.cdict --no-pager
job list --no-pager
job show 2001 --no-pager
tasks --job 2001 --no-pager
exits --job 2001 --no-pager
vcpu --job 2001 --no-pager
latency --job 2001 --no-pager
sweep --plot sweep.json -o again.json
flame x.folded --no-pager
flame x.log --no-pager
top --job 2001 --seconds 1
top --job 2002 --seconds 1
COMMANDS
END
for columns in 80 120 200; do
	on $columns 100 bash all.sh >out 2>&1
	awk -v most=$columns '
		/^===/ { what = $0; n++; next }
		{ gsub(/µ/, "u"); gsub(/仮/, "ww"); gsub(/\033\[[0-9?]*[a-zA-Z]/, "") }
		length > most { print most " columns, " what ": " $0 }
		{ lines[what]++ }
		END { for (w in lines) if (lines[w] > 2) full++; print n " commands at " most ", " full " of them with a table" }' out
done
# the most important facts are in the first 24 lines: loss, whether the file is complete; the vCPU that waits longest
on 80 24 $CDICT info named.cdict --no-pager | sed -n 1,24p | grep -c '^loss\|^state'
on 80 24 $CDICT stats named.cdict --no-pager | sed -n 1,24p | grep -c '^instance-0000001b.vcpu1  1122'
# columns that a query asks for: texts are cut before one of them goes, -v has all
on 40 24 $CDICT query "SELECT name AS a_name, 'a text that is longer than forty columns are' AS words, tid FROM thread WHERE tid IN (1122, 1229)" named.cdict
on 30 24 $CDICT query -qv "SELECT 'a text that is longer than thirty columns are' AS words" named.cdict 2>err
$CDICT query "SELECT 'a text that is longer than thirty columns are' AS words" named.cdict
on 60 24 $CDICT sweep --plot sweep.json -o again.json | awk '{ gsub(/µ/, "u") } length > 60 { print "too wide: " $0 } /more columns: -v/ { print "the rest by -v" }'
on 60 24 $CDICT sweep -v --plot sweep.json -o again.json | sed -n '1s/  */ /gp'
# the pager: all of them, and one that ends early leaves status 0
export CDICT_PAGER='sed s/^/paged:/'
for command in 'info named.cdict' 'stats named.cdict' 'script named.cdict' 'count named.cdict' "query 'SELECT * FROM thread' named.cdict" 'diff x.cdict named.cdict'; do
	eval "on 80 24 $CDICT $command" | sed -n 1p | cut -c1-40
	eval "on 80 24 $CDICT $command --no-pager" | grep -c ^paged
	eval "CDICT_PAGER='head -n 1' on 80 24 $CDICT $command" >/dev/null
	echo "status $?"
done
# more than a pipe holds
CDICT_PAGER='head -n 1' on 80 24 $CDICT script named.cdict | cut -c1-40
on 80 24 $CDICT info named.cdict --json | grep -c ^paged
# not for people: as ever
$CDICT stats named.cdict | grep ^paged || echo "no pager"
