"$DTRACE" -i abc 2>&1
echo $?
