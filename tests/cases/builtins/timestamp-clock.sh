now() { awk '{ printf("%d\n", $1 * 1000) }' /proc/uptime; }
# /proc/uptime is CLOCK_BOOTTIME: the same on a machine that never sleeps.
before=$(now)
ts=$("$DTRACE" -q -s "$CASE")
after=$(now)
ms=$((ts / 1000000))
if [ $((before - 20)) -le $ms ] && [ $ms -le $((after + 20)) ]; then
	echo good
else
	echo "$before $ms $after"
fi
