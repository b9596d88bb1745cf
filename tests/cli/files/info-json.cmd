# needs: python3
# one object, whose parts agree
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT info --format json --labels x.cdict >x.json
python3 - <<'END'
import json
d = json.load(open("x.json"))
print(d["schema"], d["capture"]["file"], d["capture"]["host"], d["capture"]["events"])
print(d["window_ns"]["to"] - d["window_ns"]["from"] == d["window_ns"]["length"])
print(sum(e["count"] for e in d["events"]) == d["capture"]["events"])
print(sum(b["events"] for b in d["blocks"]) == d["capture"]["events"])
print(sorted(d), d["about"]["perf.version"], len(d["tasks"]) > 100)
END
