for stage in tokens ast types dif plan bpf x86; do
	[ $stage = x86 ] && option="-x substrate=process"
	"$DTRACE" -q $option --dump=$stage -s "$CASE" >out 2>&1
	echo "$stage $? $([ -s out ] && echo something)"
done
"$DTRACE" -q -x substrate=process --dump=bpf -s "$CASE" 2>&1
# calls and the D text that they are from; offsets differ from build to build
"$DTRACE" -q -x substrate=process --dump=x86 -n 'BEGIN { @ = sum(id); exit(0); }' 2>&1 |
    sed -n 's/^ *[0-9a-f]*:\tcall .*; /calls /p; /^; [a-z]* at/p; /^;\t0/p'
"$DTRACE" --dump=nosuch -s "$CASE" >/dev/null 2>&1
echo $?
