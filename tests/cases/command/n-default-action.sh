"$DTRACE" -n dtrace:::BEGIN -n 'BEGIN { exit(0); }' 2>/dev/null |
    awk 'NF { print $2, $3, $4 }'
