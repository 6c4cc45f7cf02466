"$DTRACE" -q -s "$CASE" -c "$PROGS/spin 0 0.5" | tail -n 3
