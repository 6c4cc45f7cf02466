. "$CASES/../hierarchy.bash"
in_hierarchy <<'END' | sed "s, below /.*, below MOUNT,; s/dtrace-case.[0-9]*/TOP/g; s,[^ ]*/hierarchy,HIERARCHY,g; s,'hierarchy/,'HIERARCHY/,"
mkdir -p $top/in/below $top/out $top/a/twice $top/b/twice
trace() {
	echo "-- $1, in $2"
	"$DTRACE" -q -x cgroup="$1" -n '
	    BEGIN { printf("BEGIN\n"); }
	    syscall::getpriority:entry
	    /pid == $target && arg0 == 0x7001/ { printf("call\n"); }
	    sched:::on-cpu, sched:::off-cpu /pid != $target/ { others = 1; }
	    END { printf("END%s\n", others ? " others" : ""); }' -c "$JOIN $2" 2>&1
}
name=dtrace-case.$$
for path in $name/in /$name/in/ "$PWD/$top/in" below; do
	trace "$path" $top/in/below
	trace "$path" $top/out
done
trace / $top/out
for path in nosuch $name/none $name/../x twice; do
	trace "$path" $top/out
done
"$DTRACE" --cgroup $name/in -qn 'BEGIN { printf("--cgroup\n"); exit(0); }'
sh -c "echo \$\$ >$top/out/cgroup.procs; exec sleep 60" &
pid=$!
while ! grep -q sleep /proc/$pid/comm; do
	sleep 0.05
done
"$DTRACE" -x substrate=process -q -x cgroup=$name/in -p $pid \
    -n 'syscall:::entry { } tick-10ms { exit(0); }' 2>&1 | sed "s/$pid/PID/"
kill $pid
wait
END
