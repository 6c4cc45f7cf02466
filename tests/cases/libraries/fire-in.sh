mkdir lib bad worse
cat > lib/mine.d <<'END'
provider mine {
	probe comes(struct task_struct *from, int pid);
};
sdt:sched::sched_switch
/curthread == args[2]/
{
	fire_in("mine:::comes", args[2], args[1], args[2]->pid);
}
END
sed 's/", args\[2\],/", curthread,/' lib/mine.d > bad/mine.d
sed 's/", args\[2\],/", args[3],/' lib/mine.d > worse/mine.d
"$DTRACE" -q -L lib -c "$PROGS/known sleep:20 sleep:20" -n '
syscall::clock_nanosleep:entry /pid == $target/ { in = 1; self->in = 1; }
syscall::clock_nanosleep:return /self->in/ { in = 0; }
sdt:sched::sched_switch /in && args[2]->pid == $target/ { came = 1; @ = sum(-1); }
mine:::comes
/in && self->in/
{
	@ = sum(arg1 == tid && args[1] == $target && args[0] != curthread &&
	    execname == "known");
}
END { printf("came %d\n", came); printa("missing %@d\n", @); }'
for lacks in 'stack()' 'ustack()' 'trace(uid)' 'raise(9)' 'trace(vtimestamp)' \
	'trace(progenyof(1))' 'trace(copyinstr(arg0))' 'usym(arg0)'; do
	"$DTRACE" -w -q -L lib -n 'mine:::comes { '"$lacks"'; }' 2>&1 |
	    grep -o "[a-z]* is not available in .*"
done
for dir in bad worse; do
	"$DTRACE" -q -e -L $dir -n mine:::comes 2>&1 | sed -n 's/.*probe mine/mine/p'
done
true
