"$DTRACE" -q -s "$CASE"
"$DTRACE" -q -s - <"$CASE"
