for rate in 100ms 10s; do
	"$DTRACE" -q -x statusrate=$rate -s "$CASE" 2>&1 |
	    grep -c speculat >$rate
done
[ $(cat 100ms) -ge 6 ] && echo "often"
[ $(cat 10s) -eq 1 ] && echo "at the end"
