# The program waits until its standard input ends.
mkfifo input
"$PROGS"/types_gctf wait <input &
exec 3>input
"$DTRACE" -q -p $! -s "$CASE"
exec 3>&-
wait
