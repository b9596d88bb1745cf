# Names in pictures that are too narrow for them: different names of rows, and of those behind whom they waited, stay different, and end
# inside the picture.
# needs: python3
$CDICT convert -q -i $DATA/kvm-small.data -o small.cdict
cp small.cdict labels.cdict && $CDICT annotate -q labels.cdict --map $DATA/kvm-small.map.csv
awk -F, -v OFS=, 'NR > 1 && $2 != "" { $2 = "a-virtual-machine-of-the-customer-" substr($2, 16) "-in-the-cluster-of-the-north" } 1' $DATA/kvm-small.map.csv >long.csv
cp small.cdict long.cdict && $CDICT annotate -q long.cdict --map long.csv
cat >names.py <<'END_OF_NAMES'
import html, re, sys
def texts(path):
    """The names of rows, at the left end of the plot, then those in the notes at its right."""
    rows = [(dict(re.findall(r'([a-z-]+)="([^"]*)"', a)), html.unescape(t)) for a, t in re.findall(r"<text([^>]*)>([^<]*)", open(path).read())]
    ends = [t for a, t in rows if a.get("text-anchor") == "end" and "font-size" not in a]
    notes = [m[1] for a, t in rows if (m := re.fullmatch(r".*(?:%:|behind) (.*)", t)) and "text-anchor" not in a and "  " in t]
    return [re.sub(r"  \d+$", "", name) for name in ends + notes]
wide, *narrow = sys.argv[1:]
full, cut = texts(wide), 0
for path in narrow:
    stands = {}
    now = texts(path)
    assert len(now) == len(full) > 3, (path, len(now), len(full))
    for short, name in zip(now, full):
        assert stands.setdefault(short, name) == name, f"{path}: {short} is {name} and {stands[short]}"
        cut += short != name
print(wide.removesuffix("-6000.svg"), "differ;", "many were" if cut > 20 else "some were" if cut else "none was", "shortened")
END_OF_NAMES
for file in small labels long; do
	for view in vcpu exits coremap cpu; do
		for width in 6000 1280 800 640 480; do
			$CDICT heatmap -q --view $view --width $width --theme light -o $view-$file-$width.svg $file.cdict
		done
		python3 names.py $view-$file-{6000,1280,800,640,480}.svg
	done
done
# in the terminal
for file in labels long; do
	for width in 60 80; do
		$CDICT heatmap -q --view vcpu --format-out terminal --width $width $file.cdict | sed -n '/vcpu[01]/p'
	done
done
