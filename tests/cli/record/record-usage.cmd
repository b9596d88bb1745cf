# wrong usage of record is reported before anything else, to every user: two lines, status 129, no file
try() {
	"$CDICT" record -s 0.01 "$@" 2>&1
	echo "status $?"
}
try --stats -o -
try --stats --keep 1s
try --trigger 'latency>1ms'
try --task sleep
try --keep 1s --task sleep
try -t sleep
try --keep 1s --trigger 'latency>1'
try --keep 1s --trigger 'steal>100%'
try --keep 1s --trigger 'exits>1ms'
try --keep 0s
try --keep 1s,1s
try --keep 64X
try -m 0
try -m 4Q
try --queue 12
try --queue 0M
try -k sun
try -r 100
try --filter 'prev_pid == 1'
try --keep-perf-data x.data -o x.data
try --openrc admin-openrc
try --os-cloud prod
try --name-pattern '(?<name>.*)'
try --openstack --openrc a --os-cloud b
try --openstack --name-pattern '(?<name>'
try -- true
try --no-such
try -s 0
try -s 0ms
try -s 3x
try -m 4G
try -m 1000000
try -g --kernel-callchains --user-callchains
try --call-graph lbr
try --call-graph dwarf,4k
try -F 99
try -F 99 -c 5 -e cycles
try -F 99x -e cycles
try -c 0 -e cycles
try -b
try -D x
try -D 20-10
try -D 10-20,15-30
try -D -1
try --control pipe:3
try --control fd:77
try --switch-output=1
try --switch-output --keep 1s
try --switch-max-files 3
try --max-size much
try -p 0x
try -a -p $$
try -u nobody-of-that-name
ls
