. "$CASES/../ask.bash"
mine='/pid == $target/'
ask 'calls by name' "openat +$n" \
    -n "syscall:::entry $mine { @[probefunc] = count(); }" -c 'cat /etc/passwd'
ask 'calls by program and name' "echo +write +1" \
    -n "syscall:::entry $mine { @[execname, probefunc] = count(); }" -c '/bin/echo word'
ask 'calls in all' "$n" -n "syscall:::entry $mine { @ = count(); }" -c 'cat /etc/passwd'
ask 'calls that fail' "openat +2 +$n" \
    -n "syscall:::return /pid == \$target && errno != 0/ { @[probefunc, errno] = count(); }" \
    -c 'sh -c "cat </missing; exit 0"'
ask 'their names' 'missing' \
    -n "syscall:::return /pid == \$target && errno == ENOENT/ { @[\"missing\"] = count(); printf(\"missing\n\"); }" \
    -c 'sh -c "cat </missing; exit 0"'
ask 'time by call' "$n \|@+ +$n" -n "syscall:::entry $mine { self->t = timestamp; }
    syscall:::return /self->t/ { @[probefunc] = quantize(timestamp - self->t);
    self->t = 0; }" -c 'cat /etc/passwd'
ask 'time in all calls' "cat +$n" -n "syscall:::entry $mine { self->t = timestamp; }
    syscall:::return /self->t/ { @[execname] = sum(timestamp - self->t);
    self->t = 0; }" -c 'cat /etc/passwd'
ask 'slow calls' "slow (clock_)?nanosleep" -n "syscall:::entry $mine { self->t = timestamp; }
    syscall:::return /self->t && timestamp - self->t > 50000000/ {
    printf(\"slow %s\n\", probefunc); } syscall:::return { self->t = 0; }" -c 'sleep 0.1'
ask 'sizes of reads' "2048 \|@+ +[1-9]$n?" \
    -n "syscall::read:return /pid == \$target && arg0 > 2047/ { @ = quantize(arg0); }" \
    -c 'dd if=/dev/zero of=/dev/null bs=3000 count=1 status=none'
ask 'bytes read' "bytes +6000" \
    -n "syscall::read:entry $mine { self->zero = fds[arg0].fi_pathname == \"/dev/zero\"; }
    syscall::read:return /self->zero/ { @[\"bytes\"] = sum(arg0); self->zero = 0; }" \
    -c 'dd if=/dev/zero of=/dev/null bs=3000 count=2 status=none'
ask 'bytes written, by file' "/dev/null +6000" \
    -n "syscall::write:entry $mine { @[fds[arg0].fi_pathname] = sum(arg2); }" \
    -c 'dd if=/dev/zero of=/dev/null bs=3000 count=2 status=none'
ask 'opens by path' "/etc/passwd 3" -n "syscall::openat:entry $mine { self->p = arg1; }
    syscall::openat:return /self->p && arg0 >= 0/ { printf(\"%s %d\n\", copyinstr(self->p), arg0);
    self->p = 0; }" -c 'cat /etc/passwd'
ask 'stack of a call' '.*libc.*`.*write.*' -n "syscall::write:entry $mine { ustack(3); }" -c '/bin/echo word'
ask 'calls a tick' "$n calls" -n 'syscall:::entry { @ = count(); }
    tick-50ms { printa("%@d calls\n", @); clear(@); }' -c 'sleep 0.3'
