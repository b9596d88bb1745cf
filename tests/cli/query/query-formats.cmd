# SQL's values in every format: NULL, a real, a blob, text that a terminal and a spreadsheet would obey, two columns of one name.
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict
sql='SELECT tid, name, vcpu, 1.5 AS "a,""b" FROM thread WHERE tid IN (1054, 1301) ORDER BY tid;
SELECT NULL AS x, x'"'00ff'"' AS x, char(27) || "[31m<b>" AS "<x>", "=1+1" AS formula, 1e999 AS far, -9223372036854775808 AS least, "a" || char(0) || "b" AS nul'
for format in text csv md json; do
	echo "== $format"
	"$CDICT" query "$sql" x.cdict --format $format | tr -d '\r'
done
echo "== no rows, no columns"
"$CDICT" query 'SELECT tid FROM thread WHERE 0; CREATE VIEW v AS SELECT 1; -- nothing' x.cdict
"$CDICT" query 'SELECT 1' x.cdict --json -o out.json && tail -n 14 out.json
echo "== what is wider than what came before"
"$CDICT" query 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1002) SELECT i, iif(i > 1001, "wider", "w") AS w FROM n' x.cdict | tail -n 3
