"$PROGS/locks" forever & one=$!
"$PROGS/locks" forever & other=$!
"$DTRACE" -q -n 'plockstat$1:::mutex-acquire { @a[pid == $1] = count(); }
	plockstat$2:::rw-acquire { @b[pid == $2] = count(); }
	tick-300ms { exit(0); }
	END { printa("mutex: of its process %d\n", @a); printa("rw: of its process %d\n", @b); }' $one $other
kill $one $other
