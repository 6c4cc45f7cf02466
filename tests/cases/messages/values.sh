"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/^ *hint: //p'
for desc in syscall::read:exit syscall:kernel:read:entry dtrace:::start \
    syscall::no_such_call:entry usdt:::start profile::97:; do
	"$DTRACE" -e -n $desc 2>&1 | sed -n 's/^ *hint: //p'
done
