# needs: jq
# names may contain any text: commas and quotes of QEMU's syntax, line ends, terminal codes
vm() { # PID NAME COMM
	mkdir -p proc/$1/task/$1 proc/$1/task/$(($1 + 1))
	printf 'qemu-system-x86_64\0-name\0%b\0' "$2" >proc/$1/cmdline
	printf '%b\n' "$3" >proc/$1/task/$(($1 + 1))/comm
	printf 'qemu-system-x86\n' | tee proc/$1/comm >proc/$1/task/$1/comm
}
vm 100 'guest=a,,b "c",debug-threads=on' 'CPU 0/KVM'
vm 200 'line\nend' 'CPU 0/KVM\nrest'
vm 300 '\033[2J\0377' 'worker\0377'
vm 400 '=1+1' ') (evil'
vm 500 '#comment' 'IO <script>'
vm 700 'guest==1+1,debug-threads=on' 'CPU 0/KVM' # no spreadsheet calculates it
mkdir -p proc/600 && printf 'sh\0-c\0qemu-system-x86_64 -name no\0' >proc/600/cmdline
$CDICT identify --proc-root proc >map.csv
cat -v map.csv
echo "-- JSON can be read"
$CDICT identify -q --proc-root proc --format json | jq -c '[.vms[].instance]' | cat -v
