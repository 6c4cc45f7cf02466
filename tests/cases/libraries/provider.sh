mkdir lib
cat > lib/mine.d <<'END'
typedef struct pair { int number; string parity; } pair_t;
translator pair_t < uint64_t N > {
	number = N;
	parity = N % 2 ? "odd" : "even";
};
provider mine {
	probe mark(uint64_t N, int twice) : (pair_t N, int twice, uint64_t N);
	probe both(int from);
	probe moved(int x);
	probe unknown();
	probe typed(int x);
	probe absent();
};
syscall::getpriority:entry
/arg0 == 0x7001/
{
	fire("mine:::mark", arg1, arg1 * 2);
}
syscall::getpriority:entry /arg0 == 0x7001/ { fire("mine:::both", 1); }
syscall::getpriority:return /errno == 22/ { fire("mine:::both", 2); }
sdt:sched::sched_switch /args[1]->no_such_member/ { fire("mine:::moved", 1); }
sdt:sched::no_such_event { fire("mine:::unknown"); }
sdt:sched::no_such_event { fire("mine:::typed", args[0]->pid); }
END
D="$DTRACE -q -e -L lib"
$DTRACE -L lib -lvn mine:::mark | grep args
"$DTRACE" -q -L lib -c "$PROGS/known seq:3" -n 'mine:::mark /pid == $target/ {
	printf("%d %s %d %d\n", args[0].number, args[0].parity, args[1], arg0);
} mine:::both /pid == $target/ { @[args[0]] = count(); }
END { printa("%d: %@d\n", @); }'
$D -n 'mine:::moved' 2>&1 | grep error | sed 's/.*probe mine/mine/'
$D -n 'mine:::unknown' 2>&1 | grep error | sed 's/.*probe mine/mine/'
$D -n 'mine:::typed' 2>&1 | grep error | sed 's/.*probe mine/mine/'
$D -n 'mine:::absent' 2>&1 | grep error | sed 's/.*probe mine/mine/'
true
