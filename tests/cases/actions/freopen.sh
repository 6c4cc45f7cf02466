echo "was there" > out.7
"$DTRACE" -q -w -s "$CASE" 2>err
echo "status $?"
sed 's/^/file: /' out.7
grep -v matched err
