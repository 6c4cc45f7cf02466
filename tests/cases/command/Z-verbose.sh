for flags in -qZ -qvZ; do
	"$DTRACE" $flags -n 'nosuch:::probe, BEGIN { trace(1); }' \
	    -n 'syscall::nosuch:entry, syscall::read:entry { }' \
	    -n 'nosuch:::other { }' \
	    -n 'BEGIN { exit(0); }' 2>&1 >/dev/null
	echo "end of $flags"
done
# a module that the process does not have (yet)
"$DTRACE" -Zvq -n 'pid$target:nosuch::entry { }' -n 'BEGIN { exit(0); }' \
    -c 'sleep 1' >all 2>&1
echo "status $?: $(grep -c 'failed to report' all) failures"
exit 0
