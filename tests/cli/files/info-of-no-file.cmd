try() {
	$CDICT info "$@"
	echo "status $?"
}
try missing
mkdir folder
try folder
: >empty
try empty
echo 'this is no cdict file' >text
try text
printf '\033[2J' >$'bad\033name'
try $'bad\033name'
