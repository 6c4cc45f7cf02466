for when in preinit postinit main; do
	"$DTRACE" -q -x evaltime=$when -c "$PROGS/known args" -s "$CASE"
done
"$DTRACE" -q -c "$PROGS/known args" -s "$CASE"
