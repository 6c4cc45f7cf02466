"$DTRACE" -q -x strsize=48k -s "$CASE" >out 2>&1
grep . out >all
if grep -q 'bytes per thread, more than the kernel keeps' all ||
    test "$(cat all)" = ab; then
	echo good
else
	cat out
fi
