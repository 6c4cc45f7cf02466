"$DTRACE" -q -C -s "$CASE" >/dev/null 2>err
echo $?
grep -c "nosuch.h" err
