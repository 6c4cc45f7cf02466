"$DTRACE" -e -s "$CASE" 2>&1 | grep ' hint: '
