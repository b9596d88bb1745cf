# needs: python3
# the same numbers in every format
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT tasks x.cdict --format json >x.json
$CDICT tasks x.cdict --format csv >x.csv
$CDICT tasks x.cdict --format md -t perf -C 0-1
python3 - <<'END'
import csv, json
d = json.load(open("x.json"))
rows = list(csv.DictReader(open("x.csv", newline="")))
same = [{k: "" if v is None else v if isinstance(v, str) else str(v).lower() if isinstance(v, bool) else format(v, ".10g") if isinstance(v, float) else str(v)
         for k, v in r.items()} for r in d["tasks"]]
print(len(rows) > 20, rows == same)
print(d["total"]["run_ns"] == sum(r["run_ns"] for r in d["tasks"] if not r["idle"]))
END
