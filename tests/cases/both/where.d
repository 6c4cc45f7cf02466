/* With -v dtrace tells where each clause runs, and why. */
BEGIN { began = timestamp; }
pid$target:a.out:step:entry { self->at[1] = 1; }
pid$target:a.out:step:return { self->at[1] = 0; }
sched:::off-cpu /self->at[1]/ { @off = count(); }
pid$target:a.out:other:entry { @other = count(); n++; }
pid$target:a.out:other:return { trace(n); stack(); }
pid$target:libc.so.6:malloc:entry { this->size = arg0; @size = sum(this->size); }
pid$target:libc.so.6:free:entry { @at[timestamp - began > 0] = count(); }
pid$target:libc.so.6:usleep:entry { @[jstack(3)] = count(); }
syscall::getpriority:entry /pid == $target/ { @calls = count(); }
ERROR { printf("%d", arg4); }
tick-1s { exit(0); }
pid$target:libc.so.6:calloc:entry { this->p = (int *)copyin(arg0, 8); @c = sum(this->p[1]); }
pid$target:libc.so.6:realloc:entry { @r[stringof(arg0)] = count(); }
