# longer than the 15 characters that the kernel keeps
name=named$$-of-the-case
short=$(echo "$name" | cut -c1-15)
cp "$(command -v sleep)" "$name"
"./$name" 60 &
pid=$!
trap 'kill $pid; wait' EXIT
while [ "$(tr '\0' ' ' </proc/$pid/cmdline)" != "./$name 60 " ]; do
	sleep 0.1
done
for try in "$name" "$name-not" "$short" ""; do
	"$DTRACE" -p "$try" -s "$CASE" 2>&1 |
	    sed -e "s/\<$pid\>/PID/" -e "s/$name/NAME/g" -e "s/$short/SHORT/g"
done
