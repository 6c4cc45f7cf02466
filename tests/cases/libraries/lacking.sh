mkdir lib
cat > lib/mine.d <<'END'
typedef struct seen { uint64_t first; uint64_t second; } seen_t;
struct native { int n; };
translator seen_t < struct native *N > { first = (uint64_t)N; second = arg2; };
provider mine {
	probe mark(struct native *N, int gone, uint64_t here) :
	    (seen_t *N, int gone, uint64_t here);
	probe moved(int x);
};
syscall::getpriority:entry
/arg0 == 0x7001/
{
	fire("mine:::mark", arg1, curthread->no_such_member, arg1 * 2);
}
syscall::getpriority:entry /arg0 == 0x7001/
{
	fire("mine:::moved", curthread->no_such_member);
}
syscall::getpriority:entry /arg0 == 0x7001/ { fire("mine:::moved", 5); }
END
D="$DTRACE -q -L lib"
"$DTRACE" -q -L lib -c "$PROGS/known seq:3" -n 'mine:::mark /pid == $target/ {
	printf("%d %d %d\n", args[0]->first, args[0]->second, args[2]);
} mine:::moved /pid == $target/ { @[args[0]] = count(); }
END { printa("%d: %@d\n", @); }'
for text in 'mine:::mark { trace(args[1]); }' 'mine:::mark { @ = sum(arg1); }' \
    'mine::: /arg1 == 1/ { }' ; do
	$D -e -n "$text" 2>&1 | grep error | sed 's/.*\[D/[D/'
done
true
