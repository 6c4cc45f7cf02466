"$DTRACE" -q -C -s "$CASE"
