"$DTRACE" -q --record=run.dtr -x bufsize=16m -n syscall::getpriority: \
    -c "$PROGS/known seq:30000" || exit 1
test "$(grep -ao DTBK run.dtr | wc -l)" -gt 4 || echo 'too few blocks'
ask() { "$DTRACE" -r run.dtr -q "$@" 2>&1; }
for n in 1 2 7; do
	ask -x threads=$n -s "$CASE" >$n.txt
	# a line for each second of the recording: the first, and how many more
	echo "threads=$n: $(grep -o '([0-9]* more)' $n.txt | tr -d '(' |
	    awk '{ n += $1 + 1 } END { print n }') faults"
	cmp 1.txt $n.txt
done
"$DTRACE" -r run.dtr -x threads=3 -n 'syscall::: { @ = count(); }' \
    -x oformat=json | grep -c value
echo '# who reads'
who() { ask -v "$@" | grep '^dtrace: replay'; }
who -x threads=3 -n 'syscall::: { @ = count(); }'
who -x threads=1 -n 'syscall::: { @ = count(); } END { printa(@); }'
who -n 'syscall::: { x++; }'
who -n 'syscall:::entry { self->t = 1; } syscall:::return { @ = count(); }'
who -n 'syscall:::entry { @[walltimestamp] = count(); }'
who -n 'syscall:::entry { @[execargs] = count(); }'
who -n 'syscall:::entry { @[copyinstr(arg0)] = count(); }'
who -n 'syscall:::entry { @[rand()] = count(); }'
who -n 'syscall:::entry { @ = count(); } tick-1s { printa(@); }'
who -n 'syscall:::entry { @ = count(); } ERROR { }'
who -n 'syscall:::entry { exit(0); }'
who -r run.dtr -n 'syscall:::entry { @ = count(); }'
echo '# without a query'
"$DTRACE" -x threads=2 -n BEGIN 2>&1
"$DTRACE" -r run.dtr -x threads=2 2>&1
ask -x threads=0 -n BEGIN
exit 0
