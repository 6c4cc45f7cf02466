for option in zone=global cleanrate=1; do
	"$DTRACE" -q -x $option -e -n BEGIN >/dev/null 2>err
	echo "$? $(grep -c "option ${option%%=*} is not supported yet: ." err)"
done
