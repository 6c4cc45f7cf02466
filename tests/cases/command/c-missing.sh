"$DTRACE" -q -c /nonexistent/cmd -n BEGIN 2>err
echo $?
grep -c /nonexistent/cmd err
