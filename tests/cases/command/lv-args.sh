"$DTRACE" -lvn syscall::openat:entry | sed 1,2d
"$DTRACE" -lvP dtrace | sed -n '/ BEGIN$/,/ END$/p' | sed -n '/Argument Types/,/^$/p'
