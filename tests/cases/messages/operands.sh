cp "$CASE" script.d
for args in 'script.d' 'nosuch.d' '-l syscall' '-c ls -l /tmp'; do
	"$DTRACE" $args 2>&1
	echo $?
done
