N=5000 FIRINGS=5
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
