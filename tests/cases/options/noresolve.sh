"$DTRACE" -q -x noresolve -s "$CASE" -c "$PROGS/burst 1 10000000" |
    sed 's/0x[0-9a-f]*/ADDR/; s/[a-z_0-9]*`[a-z_0-9A-Z.+]*/SYMBOL/;
	s/\(SYMBOL\).*/\1/'
