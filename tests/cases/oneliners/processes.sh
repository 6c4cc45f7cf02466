. "$CASES/../ask.bash"
ours='/progenyof($target)/'
# until the kernel has executed sleep, its process is another sh
kill_sleep="sh -c 'sleep 9 & until grep -qx sleep /proc/\$!/comm; do :; done; kill \$!; wait'"
ask 'programs executed' "cat /etc/passwd" \
    -n "proc:::exec-success $ours { printf(\"%s\n\", curpsinfo->pr_psargs); }" \
    -c 'sh -c "cat /etc/passwd >/dev/null; true"'
ask 'programs by user' "0 +cat +1" \
    -n "proc:::exec-success $ours { @[uid, execname] = count(); }" \
    -c 'sh -c "cat /etc/passwd >/dev/null; true"'
ask 'programs that cannot be executed' "error 13" \
    -n "proc:::exec-failure $ours { printf(\"error %d\n\", args[0]); }" \
    -c 'sh -c "/etc/passwd 2>/dev/null; true"'
ask 'processes made' "sh +2" -n "proc:::create $ours { @[execname] = count(); }" \
    -c 'sh -c "cat /dev/null; cat /dev/null; true"'
ask 'how they end' "cat 1" -n "proc:::exit $ours { printf(\"%s %d\n\", execname, args[0]); }" \
    -c 'sh -c "cat /dev/null; true"'
ask 'how long they live' "cat +$n" -n "proc:::start $ours { self->t = timestamp; }
    proc:::exit /self->t/ { @[execname] = max(timestamp - self->t); self->t = 0; }" \
    -c 'sh -c "cat /dev/null; true"'
ask 'parents' 'sh is the parent of cat' -n "proc:::create $ours { child[args[0]->pr_pid] = execname; }
    proc:::exec-success /child[pid] != NULL/ {
    printf(\"%s is the parent of %s\n\", child[pid], execname); }" \
    -c 'sh -c "cat /dev/null; true"'
ask 'signals by receiver and number' "sleep +15 +1" \
    -n "proc:::signal-send $ours { @[args[1]->pr_fname, args[2]] = count(); }" \
    -c "$kill_sleep"
ask 'who kills' 'sh kills sleep' \
    -n "proc:::signal-send /args[2] == SIGTERM && progenyof(\$target)/ {
    printf(\"%s kills %s\n\", execname, args[1]->pr_fname); }" \
    -c "$kill_sleep"
ask 'the arguments of a process' '.*-c cat /dev/null; true' \
    -n "syscall::exit_group:entry /pid == \$target/ { printf(\"%s\n\", curpsinfo->pr_psargs); }" \
    -c 'sh -c "cat /dev/null; true"'
ask 'who sleeps' "sleep +$n" -n "sched:::sleep /pid == \$target/ { @[execname] = count(); }" -c 'sleep 0.1'
ask 'time off the processor' "(67108864|[1-9][0-9]{8,}) \|@* +[1-9]$n?" \
    -n 'sched:::off-cpu /pid == $target/ { self->t = timestamp; }
    sched:::on-cpu /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }' -c 'sleep 0.1'
ask 'page faults' "cat +$n" -n 'vminfo:::as_fault /pid == $target/ { @[execname] = count(); }' -c 'cat /dev/null'
ask 'calls for memory' "mmap +$n" \
    -n 'syscall::brk:entry,syscall::mmap:entry /pid == $target/ { @[probefunc] = count(); }' -c 'cat /dev/null'
