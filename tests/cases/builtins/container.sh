. "$CASES/../hierarchy.bash"
in_hierarchy <<'END'
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
trace() {
	mkdir -p "$top/$1"
	echo "-- $1" | cut -c1-40
	for substrate in kernel process; do
		"$DTRACE" -x substrate=$substrate -x strsize=${2:-256} -q -n '
		    syscall::getpriority:entry
		    /pid == $target && arg0 == 0x7001 && zonename != "x"/
		    { @[zonename, strlen(zonename)] = count(); }' \
		    -c "$JOIN '$top/$1'" 2>&1 | grep .
	done
}
trace nginx.service
trace docker-$id.scope
trace docker-$id.scope/init/a/b
trace libpod-conmon-$id.scope
trace docker-${id}0.scope
trace docker-${id%f}g.scope
trace kubepods/pod1/$id
trace 'machine-web\x2dA\x5f1.scope'
trace 'machine-a\x2.scope'
trace machine-.scope
trace lxc.payload.lxc1
trace lxc/old.scope
trace lxc/old/lxc/new/x
trace systemd-nspawn@nspawn.service/payload/a.service
trace docker-$id.scope/machine-inner.scope
trace machine-$(printf '%0240d' 7).scope 512
trace lxc.payload.name 4
trace other 4
"$DTRACE" -qn 'syscall::getpriority:entry
    /pid == $target && zonename == "web"/ { @ = count(); }
    END { printa("web: %@d\n", @); }' -c "$JOIN '$top/docker-$id.scope'" 2>&1
"$DTRACE" -qn 'syscall::getpriority:entry
    /pid == $target && arg0 == 0x7001 && zonename == "lxc1"/ { @ = count(); }
    END { printa("lxc1: %@d\n", @); }' -c "$JOIN '$top/lxc.payload.lxc1'" 2>&1
END
