DTRACE_ANON_DIR=$PWD
export DTRACE_ANON_DIR
"$DTRACE" -a 2>with-a
for flag in grabanon grabanon=on; do
	"$DTRACE" -x $flag 2>err
	echo "$? $(cmp err with-a)"
done
"$DTRACE" -x grabanon=off 2>err
echo "$? $(head -1 err)"
"$DTRACE" -x grabanon -n BEGIN 2>err
echo "$? $(head -1 err)"
DTRACE_OPT_GRABANON= "$DTRACE" -q 2>err
echo "$? $(cmp err with-a)"
