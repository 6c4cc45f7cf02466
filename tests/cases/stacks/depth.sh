for n in 0 1 7 100; do
	"$DTRACE" -q -c "$PROGS/chain $n" -s "$CASE"
	echo
done
