"$DTRACE" -q -c "$PROGS/chain 0" -s "$CASE" | awk "NF { print \$1, \$2, (\$3 > 5) }" | sort
