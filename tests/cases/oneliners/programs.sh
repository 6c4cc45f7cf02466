. "$CASES/../ask.bash"
ask 'calls of a function' "5" -n 'pid$target:a.out:called:entry { @ = count(); }' -c "$PROGS/asked"
ask 'its arguments' "called with 3" -n 'pid$target:a.out:called:entry { printf("called with %d\n", arg0); }' -c "$PROGS/asked"
ask 'what it returns' "returned 6" -n 'pid$target:a.out:called:return { printf("returned %d\n", arg1); }' -c "$PROGS/asked"
ask 'how long it takes' "$n \|@+ +$n" -n 'pid$target:a.out:called:entry { self->t = timestamp; }
    pid$target:a.out:called:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }' -c "$PROGS/asked"
ask 'functions by count' "called +5" -n 'pid$target:a.out::entry { @[probefunc] = count(); }' -c "$PROGS/asked"
ask 'who calls it' 'asked`main\+0x[0-9a-f]+' -n 'pid$target:a.out:called:entry { ustack(2); }' -c "$PROGS/asked"
ask 'sizes of allocations' "64 \|@* +[1-9]$n?" -n 'pid$target:libc.so.6:malloc:entry { @ = quantize(arg0); }' -c "$PROGS/asked"
ask 'who allocates' 'asked`called\+0x[0-9a-f]+' -n 'pid$target:libc.so.6:malloc:entry { @[ustack(3)] = sum(arg0); }' -c "$PROGS/asked"
ask 'text of a process' 'PATH' -n 'pid$target:libc.so.6:getenv:entry { printf("%s\n", copyinstr(arg0)); }' -c "$PROGS/asked"
ask 'where the time goes' "asked\`spun *[1-9]$n?" -n 'profile-97 /pid == $target && arg1/ { @[ufunc(arg1)] = count(); }' -c "$PROGS/asked spin"
ask 'stacks of the kernel' '.*vmlinux`.*' -n 'syscall::write:entry /pid == $target/ { stack(); }' -c "$PROGS/asked"
ask 'a structure of the kernel' 'struct rlimit [{]' -n 'BEGIN { print(curthread->signal->rlim[7]); exit(0); }'
ask 'a tracepoint' "cat +1" -n 'sdt:sched::sched_process_exec /progenyof($target)/ { @[execname] = count(); }' \
    -c 'sh -c "cat /dev/null; true"'
ask 'samples by program' "asked +[1-9]$n?" -n 'profile-97 /pid == $target/ { @[execname] = count(); }' -c "$PROGS/asked spin"
ask 'a sum that is printed by a format' 'total 15' \
    -n 'pid$target:a.out:called:entry { @ = sum(arg0); } END { printa("total %@d\n", @); }' -c "$PROGS/asked"
ask 'the greatest row' "5 +1" \
    -n 'pid$target:a.out:called:entry { @[arg0] = count(); @m[arg0] = max(arg0); } END { trunc(@m, 1); }' -c "$PROGS/asked"
ask 'a bar for each value' "3 \|@+ +1" -n 'pid$target:a.out:called:entry { @ = lquantize(arg0, 0, 10, 1); }' -c "$PROGS/asked"
ask 'rows for a program' '\{"event":"aggregation".*"value":5\}.*' -x oformat=json \
    -n 'pid$target:a.out:called:entry { @ = count(); }' -c "$PROGS/asked"
ask 'the date' '20[0-9][0-9] [A-Z][a-z][a-z] .*' -n 'BEGIN { printf("%Y\n", walltimestamp); exit(0); }'
ask 'operands' 'six is 6' -n 'BEGIN { printf("%s is %d\n", $$1, $2); exit(0); }' six 6
ask 'a speculation' 'called 2' -x nspec=8 -n 'pid$target:a.out:called:entry { self->s = speculation();
    speculate(self->s); printf("called %d\n", arg0); }
    pid$target:a.out:called:return /arg1 == 4/ { commit(self->s); }
    pid$target:a.out:called:return /arg1 != 4/ { discard(self->s); }' -c "$PROGS/asked"
ask 'the calls of a thread, indented' '.*-> called +1' -x quiet=off -F -n 'pid$target:a.out:called:entry,pid$target:a.out:called:return { trace(arg0); }' -c "$PROGS/asked"
