for args in "" -h -k; do
	"$DTRACE" $args 2>&1 | grep -e --help
done
