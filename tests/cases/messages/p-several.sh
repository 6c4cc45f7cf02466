# a pid that is not used: above the largest
none=4194305
sleep 60 &
pid=$!
trap 'kill $pid; wait' EXIT
run() {
	"$DTRACE" -q "$@" -n 'BEGIN { exit(0); }' 2>&1 |
	    sed -e "s/\<$pid\>/PID/g; s/pid$pid:/pidPID:/g"
}
echo "one is traced:"
run -p "$pid,$none"
echo "none is traced:"
run -p "$none" -p "$((none + 1))"
echo "a process is given twice:"
run -p "$pid,$pid" -n 'BEGIN { printf("%d\n", pid == $target); }'
echo "no process:"
run -p ",$pid"
echo "one has the module:"
"$DTRACE" -q -p "$pid" -c "$PROGS/known exit:0" \
    -n 'pid$target:known:main:entry { printf("main\n"); exit(0); }' 2>&1 |
    sed -e "s/pid$pid:/pidPID:/; s/\<$pid\>/PID/"
