"$DTRACE" -q -c "$PROGS/chain_fp 2" -s "$CASE" |
    awk '/^ +(0x|.*`)/ { frames++ } { last = $NF }
	/^ +x +2$/ || /^ +6$/ { value = value " " last }
	END { print frames value }'
