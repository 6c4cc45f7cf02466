"$DTRACE" -q -t 200ms -s "$CASE"; echo $?
"$DTRACE" -q -t 200000us -s "$CASE" -c 'sleep 1000'; echo $?
# exit() is earlier
"$DTRACE" -q -t 1h -n 'BEGIN { exit(3); }'; echo $?
for time in 5 5hz 0s 10x s ''; do
	"$DTRACE" -t "$time" -n BEGIN; echo $?
done
for what in -l -V -e -a; do
	"$DTRACE" -t 1s $what 2>&1 | head -1
done
