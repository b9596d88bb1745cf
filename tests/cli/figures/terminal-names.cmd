# needs: python3
# Names that are cut to fit a terminal: different names in a column stay different, and exits and tasks keep the times they are asked for.
unset PAGER CDICT_PAGER LESS COLUMNS LINES
. $TOP/tests/tools/run/terminals.sh
on() { terminals python3 $TOP/tests/tools/run/terminal.py "$@"; }
on 80 24 true || exit 77
$CDICT convert -q -i $DATA/kvm-small.data -o small.cdict
$MKPERF -o x.data $DATA/neighbours.trace && $CDICT convert -q -i x.data -o x.cdict
$MKPERF -o wide.data $DATA/wide.trace && $CDICT convert -q -i wide.data -o wide.cdict
cp small.cdict labels.cdict && $CDICT annotate -q labels.cdict --map $DATA/kvm-small.map.csv
# labels with the difference inside, longer than half a terminal
awk -F, -v OFS=, 'NR > 1 && $2 != "" { $2 = "a-virtual-machine-of-the-customer-" substr($2, 16) "-in-the-cluster-of-the-north" } 1' $DATA/kvm-small.map.csv >long.csv
cp small.cdict long.cdict && $CDICT annotate -q long.cdict --map long.csv
cat >all.sh <<'END_OF_ALL'
for command in tasks exits 'exits --by vm' vcpu 'vcpu --by reason' 'vcpu --by antagonist' 'vcpu --by vm' latency switches 'successors -t .' vm \
	'query "SELECT name, name AS again, tid FROM thread"'; do
	for file in small x wide labels long; do
		echo "=== $command $file"
		eval "$CDICT $command $file.cdict -q --no-pager" 2>&1
	done
done
END_OF_ALL
# every row in full: the columns of a terminal of 1000, whose rows are the same ones in the same order
on 1000 100 bash all.sh >full
cat >names.py <<'END_OF_NAMES'
import re, sys

def tables(path):
    """The tables of each command: columns (title, begin, end), rows."""
    what, lines = "", open(path, encoding="utf-8", errors="surrogateescape").read().split("\n")
    for i, line in enumerate(lines):
        if line.startswith("==="):
            what, number = line, 0
        if re.fullmatch("-{3,}", line) and lines[i - 1].strip() and not re.fullmatch("-{3,}", lines[i - 1]):
            head = lines[i - 1]
            if i < 2 or lines[i - 2].strip() and not lines[i - 2].startswith("==="):
                continue
            rows = []
            for row in lines[i + 1:]:
                if not row.strip() or row.startswith("---") or row.startswith("("):
                    break
                rows.append(row)
            number += 1
            yield (what, number), head, rows

def column(title, head, rows):
    """The texts of a column, which begin where its title does; two blanks end them."""
    at = re.search(r"(?:^|(?<=\s\s))" + title + r"(?=\s\s|$)", head)
    return at and [re.split(r"\s{2,}", row[at.start():].rstrip())[0] for row in rows]

full = {key: (head, rows) for key, head, rows in tables("full")}
seen = cut = 0
for key, head, rows in tables(sys.argv[1]):
    for title in ("task", "vm", "VM", "was behind", "next", "waited", "had the CPU", "name", "again", "reason"):
        was, now = column(title, *full[key]), column(title, head, rows)
        if not now:
            continue
        assert len(was) == len(now), (key, title, len(was), len(now))
        names = {}
        for a, b in zip(was, now):
            seen += 1
            cut += a != b
            if names.setdefault(b, a) != a:
                print(key, title, "shows", repr(b), "for", a, "and", names[b])
print("rows" if seen > 1000 else "no rows", "names were cut" if cut else "no name was cut")
END_OF_NAMES
for columns in 60 80 120; do
	on $columns 100 bash all.sh >out
	echo "$columns columns: $(python3 names.py out)"
done
for file in small labels long; do
	for command in exits tasks; do
		on 80 100 $CDICT $command -q --no-pager $file.cdict >table
		sed -n '/^task/{s/  */ /gp;q}' table
	done
done
on 80 100 $CDICT vcpu -q --no-pager long.cdict | sed -n '/^task/,/^(/p'
