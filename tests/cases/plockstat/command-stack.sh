plockstat="$(dirname "$DTRACE")/plockstat"
"$plockstat" -s 2 "$PROGS/locks" cond |
	sed -E 's/^( *[0-9]+) +[0-9]+ /\1 ns /; s/\+0x[0-9a-f]+//g
		s/^ +[0-9]+ \|/      time |/; s/`start_thread.*/`start_thread/
		s/libc.so.6`$/libc.so.6`start_thread/'
