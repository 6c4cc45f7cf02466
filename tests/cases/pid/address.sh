at=$(nm "$PROGS/calls" | sed -n 's/^0*\([0-9a-f]*\) T fn_nop$/\1/p')
"$DTRACE" -q -n 'pid$target:a.out:-:'"$at"' { printf("%s %s\n", probefunc,
	probename == "'"$at"'" ? "there" : probename); }' -c "$PROGS/calls counts once 2"
"$DTRACE" -q -x errtags -n 'pid$target:libc.so.6:-:'"$at"' { }' \
	-c "$PROGS/calls counts once 2" 2>&1 | sed -n '1s/.*\(\[.*\]\).*/\1/p'
