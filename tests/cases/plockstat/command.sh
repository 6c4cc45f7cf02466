# times and offsets are the machine's and the compiler's
plockstat="$(dirname "$DTRACE")/plockstat"
steady='s/^( *[0-9]+) +[0-9]+ /\1 ns /; s/\+0x[0-9a-f]+//g'
"$plockstat" "$PROGS/locks" cond | sed -E "$steady"
"$plockstat" -C "$PROGS/locks" rw | sed -E "$steady"
"$plockstat" "$PROGS/locks" kinds | grep lock_it | sed -E "$steady" | LC_ALL=C sort
"$plockstat" -n 2 "$PROGS/locks" kinds | grep -c 'lock_it'
