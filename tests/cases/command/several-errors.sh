"$DTRACE" -e -s "$CASE" 2>&1 | grep -o "d:[0-9]*: .*\[[A-Z_]*\]" |
    sed "s/ .*\[/ [/"
