# defaults of options: the file, then the environment, then the command line
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o record.cdict
mkdir -p "$HOME/.config/cdict" other/cdict
config=$HOME/.config/cdict/config
printf '[tasks]\n\tsort = tid:desc ; as -s\n\ttop = 2\n[exits]\nby = reason\n[cdict]\n  # of all that have it\nformat = "csv"\nquiet=true\n' >"$config"
tids() { "$CDICT" tasks "$@" | cut -d, -f2 | tr '\n' ' '; echo; }
tids
tids -n 3
CDICT_TASKS_TOP=1 tids
CDICT_TASKS_TOP=1 tids -n 4
CDICT_TASKS_SORT=tid tids
"$CDICT" exits -n 1 | cut -d, -f1-2
CDICT_CONFIG= "$CDICT" tasks -n 1 | head -n 1
XDG_CONFIG_HOME=$PWD/other tids --format csv -n 1
"$CDICT" info | head -n 1
wrong() {
	printf '%b' "$1" >other/cdict/config
	CDICT_CONFIG=other/cdict/config "$CDICT" tasks 2>&1
	echo "status $?"
}
wrong '[tasks]\n\n\ttpo = 3\n'
wrong 'top = 3\n'
wrong '[tasks]\ntop\n'
wrong '[tasks]\ntop = many\n'
wrong '[tasks]\nmap = a.csv\n'
wrong '[tasks]\nper-cpu = perhaps\n'
wrong '[tasks\n'
CDICT_TASKS_TOP=x "$CDICT" tasks 2>&1
CDICT_CONFIG=other "$CDICT" tasks 2>&1
rm -r "$HOME/.config"
COLUMNS=60 "$CDICT" heatmap --view exits | head -n 3 | awk '{ if (length > 60) print "wider than 60" }'
