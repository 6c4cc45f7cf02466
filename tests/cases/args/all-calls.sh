$DTRACE -lvP syscall | awk '
	$2 == "syscall" { call = $4; name = $5 }
	/args\[/ {
		sub(/:/, "", $1)
		printf "syscall::%s:%s { @[(uint64_t)%s] = count(); }\n",
		    call, name, $1
	}' > all.d
[ "$(wc -l < all.d)" -gt 1500 ] || echo "only $(wc -l < all.d) arguments"
exec $DTRACE -e -s all.d
