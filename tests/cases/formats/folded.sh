"$DTRACE" -q -x oformat=folded -s "$CASE"
