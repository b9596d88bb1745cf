# each fault of a flight recorder's configuration: one line with the file and the line, status 129
try() {
	printf '%s\n' "$@" >flight.conf
	"$CDICT" flight check -c flight.conf 2>&1
	echo "status $?"
}
try '# all defaults'
try '[flight]' 'directory = /srv/dumps # here' 'max-rate = 2/10m, 12/h' 'max-size = 1G' 'max-age = 0' 'min-free = none' '[record]' 'trigger = latency>5ms, exit>1ms' 'trigger = steal>20%' 'keep = 10s' 'task = ^CPU'
try 'keep = 1s'
try '[fligth]'
try '[record' 'keep = 1s'
try '[record]' 'keeep = 1s'
try '[flight]' 'keep = 1s'
try '[record]' 'keep'
try '[record]' '' '# a comment' 'keep = 3x'
try '[record]' 'keep = 1s' 'trigger = latency>5ms' 'trigger = late'
try '[record]' 'task = x'
try '[record]' 'output = x.cdict'
try '[record]' 'push = yes'
try '[record]' 'mmap-pages = 4Q'
try '[record]' 'cpu = 0-'
try '[record]' 'all-cgroups = maybe'
try '[flight]' 'directory = dumps'
try '[flight]' 'max-size = 2'
try '[flight]' 'max-size = lots'
try '[flight]' 'max-size = 32M' '[record]' 'keep = 30s,64M'
try '[flight]' 'max-age = yesterday'
try '[flight]' 'max-rate = 12'
try '[flight]' 'max-rate = 1/h,2/h,3/h,4/h,5/h'
try '[flight]' 'min-free = -1'
printf '[flight]\nmax-age = 1d\0\n' >flight.conf
"$CDICT" flight check -c flight.conf
echo "status $?"
: >flight.conf
"$CDICT" flight check -c flight.conf
echo "empty: status $?"
rm flight.conf
"$CDICT" flight check -c flight.conf
echo "status $?"
mkdir flight.conf
"$CDICT" flight run -c flight.conf
echo "status $?"
"$CDICT" flight check -c "$TOP/doc/packaging/flight/flight.conf"
echo "the package's: status $?"
