set -- $(objdump -d "$PROGS/plt" | awk '/<getppid@plt>:/ { n = 3; next }
    n-- > 0 { print substr($1, 1, length($1) - 1) }')
"$DTRACE" -q -c "$PROGS/plt" -s "$CASE" $1 $2 $3
