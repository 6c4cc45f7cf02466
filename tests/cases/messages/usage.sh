for args in "" -h -j; do
	"$DTRACE" $args 2>&1 | grep -e --help
done
# long options with one dash; a word after -n is its argument
for args in -help -version -check -json -anonymous "-explain D_SYNTAX" "-e -dump" \
    "-n -help"; do
	"$DTRACE" $args 2>&1 | sed -n '1p; s/^ *hint: /  &/p'
done
