"$DTRACE" -qn 'syscall::openat:entry /pid == $target/ {
    trace(copyinstr(arg0)); }' -c 'cat /etc/hostname' 2>&1 >/dev/null |
    grep hint | sort -u
