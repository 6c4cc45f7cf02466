for option in switchrate=10hz switchrate=100ms switchrate=50000000 aggrate=1s statusrate=1sec \
    bufsize=64k bufsize=1m bufsize=65536 aggsize=1m dynvarsize=256k strsize=1k cpu=0; do
	"$DTRACE" -q -x $option -n 'BEGIN { @ = count(); exit(0); }' \
	    -n 'END { printa("%@d", @); }' || echo "$option"
done
echo
