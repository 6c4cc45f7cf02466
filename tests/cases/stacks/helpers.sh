"$DTRACE" -q -c "$PROGS/helped 1" -s "$CASE" 2>&1 | sed '
s/+0x[0-9a-f]*//
s/0x[0-9a-f]*/ADDRESS/
/libc/d'
