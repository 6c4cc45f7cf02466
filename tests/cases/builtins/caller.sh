"$DTRACE" -q -c "$PROGS/known seq:1" -s "$CASE" | awk '
	$1 == "depth" { depth = $2 }
	$1 == "caller" { caller = $2 }
	NF == 1 { frame[n++] = $1 }
	END {
		print (depth == n ? "good" : depth " of " n)
		print (n >= 2 && caller == frame[1] ? "good" : caller)
	}'
