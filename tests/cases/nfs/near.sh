"$DTRACE" -e -s "$CASE" 2>&1 | sed "s/.*: error/error/"
