plockstat="$(dirname "$DTRACE")/plockstat"
"$plockstat" -A -V -s 3 "$PROGS/locks" rw 2>program.d >out
grep -c '^plockstat' program.d
"$DTRACE" -Z -s program.d -c "$PROGS/locks rw" >rows
for f in out rows; do grep -q 'locks`write_it' $f && echo "$f"; done
"$plockstat" -V -e 60 "$PROGS/locks" rw 2>&1 >out | tail -4
