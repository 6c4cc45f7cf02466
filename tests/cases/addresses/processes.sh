"$DTRACE" -q -c "sh -c '$PROGS/syms; $PROGS/syms; $PROGS/syms 1'" -s "$CASE" | awk 'NF == 2'
