plockstat="$(dirname "$DTRACE")/plockstat"
"$PROGS/locks" forever & pid=$!
"$plockstat" -H -e 1 -p $pid | awk '/locks`/ && $1 > 20 { print $3, "often" }'
"$plockstat" -v -H -p $pid >out 2>err & tool=$!
until grep -qs enabled err; do sleep 0.1; done
sleep 1
kill -INT $tool
wait $tool
echo "status $?"
sed "s/$pid/PID/" err
awk '/locks`/ && $1 > 20 { print $3, "often" }' out
kill -0 $pid && echo "runs on"
kill $pid
