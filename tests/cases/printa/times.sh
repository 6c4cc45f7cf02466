TZ=UTC "$DTRACE" -q -s "$CASE"
