"$DTRACE" -q -s "$CASE" -c "$PROGS/net joined:7" | awk '
NF { bytes[$1] = $2 }
END {
	sent = bytes["send"]
	received = bytes["receive"]
	print "sent", (sent >= 36 ? "all" : sent)
	all = received >= 36 && received <= sent
	print "received", (all ? "all" : received)
}'
