for option in ustackframes=5 zone=global; do
	"$DTRACE" -q -x $option -e -n BEGIN >/dev/null 2>err
	echo "$? $(grep -c "option ${option%%=*} is not supported yet: ." err)"
done
