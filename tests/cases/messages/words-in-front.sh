"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/^ *hint: //p'
for desc in syscall::sys_openat: sdt:sched::switch udp:::udp-send \
    sdt:syscalls::sys_enter_read sdt:::sys_exit_openat sys_enter_read \
    sdt:::sys_enter_no_such_call; do
	"$DTRACE" -e -n $desc 2>&1 | sed -n 's/^ *hint: //p'
done
