"$DTRACE" -q -c "$PROGS/circle" -s "$CASE" 2>err; sed "s/ (ID.*): bad/: bad/; s/0x[0-9a-f]*/ADDRESS/" err
