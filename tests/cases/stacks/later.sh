cp "$PROGS/later.so" later.so
"$DTRACE" -q -c "$PROGS/frames $PWD/later.so" -s "$CASE" | tr -d ' \n'
