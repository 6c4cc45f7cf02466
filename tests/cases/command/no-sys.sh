for text in 'BEGIN { exit(0); }' 'BEGIN { @["a"] = count(); exit(0); }'; do
	unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' sh \
	    $DTRACE -q -n "$text" 2>&1 | grep ^dtrace:
	echo "${PIPESTATUS[0]}"
done
