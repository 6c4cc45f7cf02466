for prog in compat32 int80; do
	"$DTRACE" -q -s "$CASE" -c "$PROGS/$prog"
done
