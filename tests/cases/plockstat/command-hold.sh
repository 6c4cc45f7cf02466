plockstat="$(dirname "$DTRACE")/plockstat"
for what in mutex kinds; do
	"$plockstat" -H "$PROGS/locks" $what >out || exit
	grep -v ld-linux out | awk '/locks`/ { n[$3] += $1 }
		END { for (l in n) print l, n[l] }' | sort
	grep -c block out
done
"$plockstat" -A "$PROGS/locks" rw | grep R/W
