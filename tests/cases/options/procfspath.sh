"$DTRACE" -e -x procfspath=/proc/self/root/proc
echo $?
"$DTRACE" -e -x procfspath=/tmp 2>&1
echo $?
