"$DTRACE" -e -s "$CASE" 2>&1 | grep -o "did you mean.*"
