N=5000 FIRINGS=5
TEST='/pid == $target && arg0 == 0x7001/'
"$DTRACE" -l -P syscall | awk '$NF == "entry" && $(NF - 1) != "getpriority" {
	print $(NF - 1) }' | head -99 >calls
echo getpriority >>calls

{
	echo "int n, out_of_order;"
	echo "syscall:::entry $TEST { at = 0; }"
	awk -v n=$N -v test="$TEST" '{ call[NR - 1] = $1 }
	    END { for (k = 0; k < n; k++)
		printf "syscall::%s:entry %s " \
		    "{ @[%d, execname] = count(); n++; " \
		    "out_of_order += at++ != %d; }\n",
		    call[k % 100], test, k, k / 100 }' calls
	echo "syscall:::entry $TEST { @at[at] = count(); }"
	echo 'END { printf("%d %d\n", n, out_of_order); }'
	echo 'END { printa("%d %s %@d\n", @); printa("at %d %@d\n", @at); }'
} >script.d
"$DTRACE" -q -s script.d -c "$PROGS/known seq:$FIRINGS" | grep . | sort >out
awk -v n=$N -v f=$FIRINGS 'BEGIN { print n / 100 * f, 0; print "at", n / 100, f
    for (k = 99; k < n; k += 100) print k, "known", f }' | sort >expected
diff expected out >diff && echo "calls: good" || head diff
