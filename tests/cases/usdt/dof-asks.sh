# other*::: means every process: one case at a time.
exec 9<"$PROGS/dofsites"
flock 9
for prog in dofsites dofsites_pie dofsites_rel; do
	"$DTRACE" -q -c "$PROGS/$prog 3" -s "$CASE"
	"$DTRACE" -q -c "$PROGS/$prog 3" -n 'other*:::asked { }'
	"$DTRACE" -q -c "$PROGS/$prog 3" -n 'other$target:::leave { }'
done
