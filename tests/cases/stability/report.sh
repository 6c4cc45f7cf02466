"$DTRACE" -e -v -s "$CASE"
