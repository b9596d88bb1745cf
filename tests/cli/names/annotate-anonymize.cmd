# pseudonyms: no name of a task, VM or host is left, numbers are, and the same names the same ones
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
printf '1228,instance-1,vcpu0,8f81e3a1-6b1b-4c1c-9f3f-000000000001,FULL,5,Firewall\n' >map.csv
printf '1302,,secretrole,,,east,Hidden\n' >>map.csv
cp x.cdict plain.cdict
$CDICT annotate -q x.cdict --map map.csv --anonymize
$CDICT info --verify --labels x.cdict | grep -E '^(host|command|state|  *(1228|1302)) ' | sed 's/file .*//'
$CDICT script x.cdict | grep -m 2 sched_process_exec
names='bash|sshd|compute-01|/tmp/cap|Firewall|Hidden|secretrole|instance-1|8f81e3a1|FULL|east'
$CDICT script plain.cdict | grep -c 'comm=sleep '
{
	$CDICT script x.cdict
	$CDICT info -v --labels x.cdict
	$CDICT stats x.cdict
} | grep -E "$names|comm=sleep|filename=/|  sleep$" | head -3
$CDICT annotate -q plain.cdict --map map.csv
figures() { $CDICT tasks "$1" --format csv -s tid,run_ns | cut -d, -f2-3,6-; }
cmp <(figures x.cdict) <(figures plain.cdict) && echo the same figures
echo my secret >key
$CDICT annotate -q plain.cdict --anonymize -o one.cdict
$CDICT annotate -q plain.cdict --anonymize -o two.cdict
$CDICT annotate -q plain.cdict --anonymize --anonymize-key key -o three.cdict
cmp x.cdict one.cdict && cmp one.cdict two.cdict && echo always the same
cmp -s one.cdict three.cdict || echo but not with a secret
cut=$(($(stat -c %s plain.cdict) / 2))
head -c $cut plain.cdict >cut.cdict
$CDICT annotate -q cut.cdict --anonymize -o four.cdict
echo "cut: status $?"
$CDICT info four.cdict 2>/dev/null | grep -A1 ^state | sed 's/[0-9][0-9]*/N/g'
