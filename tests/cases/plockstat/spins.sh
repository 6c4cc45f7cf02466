for what in spin kinds; do
	"$DTRACE" -q -w -x aggsortkey -s "$CASE" -c "$PROGS/locks $what" $what
done
