"$DTRACE" -q -c "$PROGS/chain 1" -s "$CASE" | sed "s/+0x[0-9a-f]*$//"
