"$DTRACE" -l -n BEGIN
"$DTRACE" -l -n 'syscall::getpriority:entry' | cut -c 6-
