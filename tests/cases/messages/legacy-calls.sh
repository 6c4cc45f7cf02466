"$DTRACE" -q -c "$PROGS/legacy" -o made \
    -n 'syscall:::entry /pid == $target/ { printf("%s\n", probefunc); }'
for call in fork getdents getrlimit lstat nanosleep open pipe select setrlimit stat; do
	"$DTRACE" -n "syscall::$call:entry { } BEGIN { exit(0); }" 2>&1 >out |
	    sed -n "s/.*syscall::$call:entry.*make the call \([a-z0-9_]*\) .*/\1/p" >now
	echo "$call $(cat now) $(grep -cx $call made) $(grep -qx "$(cat now)" made && echo made)"
done
