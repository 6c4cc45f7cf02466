for try in "-j" "-n" "--nosuch" "-x" "" "-V -l"; do
	"$DTRACE" $try >out 2>err
	echo "$? $(wc -c <out) $(grep -ci usage err)"
done
