"$DTRACE" -e -s "$CASE" 2>&1 | grep -o "there is no event.*"
