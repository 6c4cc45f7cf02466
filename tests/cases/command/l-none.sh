"$DTRACE" -l -n nosuch:::probe >/dev/null 2>err
echo $?
[ -s err ] && echo told
