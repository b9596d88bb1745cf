# needs: jq
# the issue's rows: full, short, a group that is not a number; renamed tasks, rows without a match
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
chmod 640 x.cdict
ln -s x.cdict link
{
	printf '\xef\xbb\xbftid,libvirt-instance,role,uuid,group-type,group-id,task-name\r\n'
	printf '# the first chain\r\n\r\n'
	printf '1228,instance-000019f4,vcpu0,8f81e3a1-6b1b-4c1c-9f3f-000000000001,FULL,5,Firewall\r\n'
	printf '1229,,vcpu1,,,5,Firewall\r\n'
	printf '1054,instance-00000a01,vcpu0,8f81e3a1-6b1b-4c1c-9f3f-000000000002,,12,"Router, edge"\r\n'
	printf '1053,,vhost,8F81E3A1-6b1b-4c1c-9f3f-000000000002,,,\r\n'
	printf '1121,instance-00000007,vcpu0,,,east,\r\n'
	printf '1302,,,,,,"sleep ""well"""\r\n'
	printf '4711,,vcpu3,,,5,Firewall\r\n'
} >map.csv
$CDICT annotate link --map map.csv
stat -c '%a %F' x.cdict link
$CDICT info --verify --labels x.cdict | sed -n '/^state/p; /^labels/,/^tasks/p'
$CDICT tasks x.cdict -s name -v -n 13 | cut -c1-64
echo '--- whose VM'
for vm in Firewall Firewall.05 instance-000019f4 8F81E3A1-6B1B-4C1C-9F3F-000000000001 1217 'Router, edge.12'; do
	$CDICT tasks x.cdict --vm "$vm" --format csv | cut -d, -f1-6 | sort | tr '\n' ' '
	echo
done
echo '--- by either name'
$CDICT tasks x.cdict -t '^Firewall|^perf$' --format json |
	jq -c '.tasks[] | [.name, .tid, .comm, .vm, .vcpu]'
echo '--- exits by VM'
$CDICT exits x.cdict --by vm --format json | jq -r '.exits[].vm' | sort -u
