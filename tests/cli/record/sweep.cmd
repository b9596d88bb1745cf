# needs: jq
# medians and quartiles over parameters: worked out by hand, by h = (n - 1) p
cat >bench <<'END'
#!/bin/sh
# B T: its samples are B..B+3, T times as large; the first run is far off
echo "this is no JSON yet"
first=0
[ -e seen.$1.$2 ] || first=1000
: >seen.$1.$2
echo "{\"t\": {\"n\": $2}, \"samples\": [{\"v\": $((first + $1 * $2))}, {\"v\": $((first + ($1 + 3) * $2))}, {\"v\": $((first + ($1 + 1) * $2))}, {\"v\": $((first + ($1 + 2) * $2))}]}"
END
chmod +x bench
$CDICT sweep -q -n 3 --drop-first --param b=1,2,4..8 -L t 1,10 --metric 'samples[].v:B' --metric 'most=samples[].v|max' -o x.svg -o x.html -- ./bench {b} {t}
echo "status $?"
ls *.svg *.html *.json *.csv *.journal 2>&1
tr -d '\r' <x.csv
$CDICT sweep --plot x.json --format md
jq -c '.sweep[0], (.done[0], .done[1] | del(.took_ns)), (.done | length), .params, .metrics, .command' x.json
$CDICT sweep --plot x.json -o again.svg -q >/dev/null
cmp x.svg again.svg && echo "the same picture"
# one sample, two samples, three
for samples in 7 7,9 1,2,10; do
	$CDICT sweep -q -n 1 --metric '[]' --format csv -o one.csv -- echo "[$samples]" | tr -d '\r' | tail -n 1
done
# every reduction
for how in median mean min max sum first last count; do
	$CDICT sweep -q -n 1 --metric "v=\$.a[1]['b'][]|$how" -o one.csv -- echo '{}' >/dev/null 2>&1
	$CDICT sweep -q -n 1 --metric "v=.a[1][\"b\"][]|$how" --format csv -o one.csv -- echo '{"a": [0, {"b": [5, 1, 6]}]}' | tr -d '\r' | tail -n 1
done
# sizes are passed as plain numbers, or as typed; numbers in quotes and slices
$CDICT sweep -n 1 -L b 512,4K,1kB,2^10..2^12 --metric 'bytes[1:]:KB' --metric 'last=bytes[-1]' --format csv -o sizes.json -- \
	sh -c 'echo "{b} {b:text}" >>passed; echo "{\"bytes\": [1, \"{b}\", 7]}"' 2>&1 | tr -d '\r'
cat passed
jq -c '.params' sizes.json
grep -o '1 run of[^<]*' x.svg; $CDICT sweep -q --plot sizes.json -o sizes.svg; grep -o '[0-9]* run of [^,<]*' sizes.svg
