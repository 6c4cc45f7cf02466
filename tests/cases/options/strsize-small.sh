for size in 2 3 5 7; do
	"$DTRACE" -q -x strsize=$size -s "$CASE"
done
