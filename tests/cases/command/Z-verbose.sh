for flags in -qZ -qvZ; do
	"$DTRACE" $flags -n 'nosuch:::probe, BEGIN { trace(1); }' \
	    -n 'syscall::nosuch:entry, syscall::read:entry { }' \
	    -n 'nosuch:::other { }' \
	    -n 'BEGIN { exit(0); }' 2>&1 >/dev/null
	echo "end of $flags"
done
