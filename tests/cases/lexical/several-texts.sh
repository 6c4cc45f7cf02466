"$DTRACE" -q -n "BEGIN { x = 1; }" -s "$CASE" \
    -n "BEGIN { printf(\"%d3\\n\", x); exit(0); }"
