"$DTRACE" -x quiet -n 'BEGIN { trace("x"); exit(0); }'
echo
for option in nosuch bufsize=much switchrate=0x zone=here quiet=perhaps; do
	"$DTRACE" -q -x $option -n 'BEGIN { exit(0); }' >/dev/null 2>err
	echo "$? $(grep -c "^dtrace: .*${option%%=*}" err)"
done
