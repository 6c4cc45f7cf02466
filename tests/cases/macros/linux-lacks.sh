"$DTRACE" -e -s "$CASE" 2>&1 | grep D_ | cut -d: -f5-
