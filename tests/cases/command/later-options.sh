for option in -G -h; do
	"$DTRACE" $option -s "$CASE" >/dev/null 2>err
	echo "$? $(grep -c -e "^dtrace: .*$option" err)"
done
