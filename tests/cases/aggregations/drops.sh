"$DTRACE" -q -x aggsize=64k -c "$PROGS/known seq:20000" -s "$CASE" \
    >out 2>err
rows=$(awk 'NF == 2 { n++ } END { print n + 0 }' out)
lost=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops* on CPU [0-9]*; .*$/\1/p' err |
    awk '{ n += $1 } END { print n + 0 }')
[ "$lost" -gt 0 ] || echo "no drops"
echo "sum $((rows + lost))"
