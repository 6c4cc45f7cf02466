"$DTRACE" -q -c "$PROGS/frames" -s "$CASE"
