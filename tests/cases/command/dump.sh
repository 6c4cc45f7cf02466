for stage in tokens ast types dif plan bpf; do
	"$DTRACE" -q --dump=$stage -s "$CASE" >out 2>&1
	echo "$stage $? $([ -s out ] && echo something)"
done
"$DTRACE" --dump=nosuch -s "$CASE" >/dev/null 2>&1
echo $?
