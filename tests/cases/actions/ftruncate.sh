"$DTRACE" -q -w -s "$CASE" 2>err | cat
sed 's/^/file: /' out
grep -v matched err
