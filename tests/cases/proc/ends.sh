for how in group kill alone; do
	"$DTRACE" -q -s "$CASE" -c "$PROGS/ends $how 99 5"
done
