N=5000 FIRINGS=5
"$DTRACE" -l -P syscall | awk '$NF == "entry" && $(NF - 1) != "getpriority" {
	print $(NF - 1) }' | head -99 >calls
echo getpriority >>calls

{
	echo 'int n, out_of_order; syscall:::entry /arg0 == 0x7001/ { at = 0; }'
	awk -v n=$N '{ call[NR - 1] = $1 }
	    END { for (k = 0; k < n; k++)
		printf "syscall::%s:entry /arg0 == 0x7001/ " \
		    "{ @[%d, execname] = count(); n++; " \
		    "out_of_order += at++ != %d; }\n",
		    call[k % 100], k, k / 100 }' calls
	echo 'syscall:::entry /arg0 == 0x7001/ { @at[at] = count(); }'
	echo 'END { printf("%d %d\n", n, out_of_order); }'
	echo 'END { printa("%d %s %@d\n", @); printa("at %d %@d\n", @at); }'
} >script.d
"$DTRACE" -q -s script.d -c "$PROGS/known seq:$FIRINGS" | grep . | sort >out
awk -v n=$N -v f=$FIRINGS 'BEGIN { print n / 100 * f, 0; print "at", n / 100, f
    for (k = 99; k < n; k += 100) print k, "known", f }' | sort >expected
diff expected out >diff && echo "calls: good" || head diff

FUNCS="fn_endbr fn_pushes fn_nop fn_lea fn_sub fn_two_exits fn_tail fn_loop"
{
	echo 'int n;'
	for ((k = 0; k < N; k += 8)); do
		i=$k
		for func in $FUNCS; do
			echo "pid\$target:a.out:$func:entry" \
			    "{ @[probefunc, $((i++)), execname] = count(); }"
		done
	done
	echo 'END { printa("%s %d %s %@d\n", @); }'
} >script.d
for substrate in kernel process; do
	"$DTRACE" -q -x substrate=$substrate -s script.d \
	    -c "$PROGS/calls counts once $FIRINGS" | grep . | sort >out
	awk -v funcs="$FUNCS" -v n=$N '{ calls[$1] = $2 }
	    END { split(funcs, func, " ")
		for (k = 0; k < n; k++)
			print func[k % 8 + 1], k, "calls",
			    calls[func[k % 8 + 1]] }' counts | sort >expected
	diff expected out >diff && echo "$substrate: good" || head diff
done
