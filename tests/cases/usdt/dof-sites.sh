# other*::: means every process: one case at a time.
exec 9<"$PROGS/dofsites"
flock 9
for prog in dofsites dofsites_pie dofsites_rel; do
	echo "--- $prog"
	"$DTRACE" -q -o "$prog" -c "$PROGS/$prog 2" -s "$CASE"
	cat "$prog"
	"$DTRACE" -c "$PROGS/$prog 1" -ln 'other$target:::' |
	    awk 'NR > 1 && NF > 2 { print $3, $4, $5 }'
done
