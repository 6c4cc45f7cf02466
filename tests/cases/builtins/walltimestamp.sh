before=$(date +%s%N)
ts=$("$DTRACE" -q -s "$CASE")
after=$(date +%s%N)
slack=50000000
if [ $((before - slack)) -le "$ts" ] && [ "$ts" -le $((after + slack)) ]; then
	echo good
else
	echo "$before $ts $after"
fi
