"$DTRACE" -q -x cpu=0 -c "$PROGS/burst 2 50" -s "$CASE"
