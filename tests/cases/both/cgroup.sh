. "$CASES/../hierarchy.bash"
in_hierarchy <<'END'
mkdir -p $top/in
trace() {
	"$DTRACE" -qv -x substrate=$1 -x cgroup=dtrace-case.$$/in -n '
	    pid$target:a.out:step:entry { seen = 1; }
	    sched:::off-cpu /pid != $target/ { others = 1; }
	    END { printf("%s%s\n", seen ? "seen" : "not seen", others ? ", and others" : ""); }' \
	    -c "$PROGS/mixed 3000 1000" 2>&1 | grep '^dtrace\|seen' | sed 's/pid[0-9]*:/pidN:/'
}
for substrate in kernel both; do
	trace $substrate &
	traced=$!
	while ! pid=$(pgrep -g 0 -x mixed); do
		kill -0 $traced || exit 1
		sleep 0.05
	done
	sleep 0.5
	echo $pid >$top/in/cgroup.procs
	wait
done
END
