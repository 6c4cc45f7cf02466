"$DTRACE" -q -s "$CASE" -c "$PROGS/kernel names 1" 2>/dev/null
