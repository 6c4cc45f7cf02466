"$DTRACE" -x quite -e -s "$CASE" 2>&1 || true
