for size in 8 9 16 256 4096 65536
do
	"$DTRACE" -q -x strsize=$size -s "$CASE" || exit
done
