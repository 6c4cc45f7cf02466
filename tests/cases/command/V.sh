"$DTRACE" -V
"$DTRACE" --version
version=$("$DTRACE" --version | sed 's/ (commit .*//')
"$DTRACE" -V | grep -cF "($version)"
for option in -V --version --help; do
	"$DTRACE" $option >/dev/full 2>&1
	echo "$?"
	"$DTRACE" $option 2>&1 >/dev/full
done
exit 0
