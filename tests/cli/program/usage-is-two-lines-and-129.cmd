try() {
	$CDICT "$@"
	echo "status $?"
}
try nonsense
try --nonsense
try help nonsense
try --completion tcsh
try info
try info --nonsense x
try info --format
try info --format xml x
try info x y
try tasks --time
try exits --by colour x
