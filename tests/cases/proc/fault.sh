for mode in segv fpe ill trap kill handle step write bus float; do
	"$DTRACE" -q -s "$CASE" -c "$PROGS/signals $mode" 2>/dev/null
done
true
