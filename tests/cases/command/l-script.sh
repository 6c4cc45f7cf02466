"$DTRACE" -l -s "$CASE" | awk 'NR > 1 { print $2, $NF }'
