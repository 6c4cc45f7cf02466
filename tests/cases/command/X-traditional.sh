for x in a c s t; do
	"$DTRACE" -q -C -X $x -s "$CASE"
done
