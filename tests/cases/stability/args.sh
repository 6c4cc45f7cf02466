"$DTRACE" -e -v -s "$CASE" | grep -A 3 Statement
