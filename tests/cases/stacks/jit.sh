"$DTRACE" -q -c "$PROGS/jit" -s "$CASE" >out
rm -f "/tmp/perf-$(head -1 out).map"
sed '1d; s/+0x[0-9a-f]*$//; s/^ *//' out
