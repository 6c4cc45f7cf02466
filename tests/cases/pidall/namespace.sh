mkdir hidden && mkfifo go || exit 1
unshare -m sh -c 'mount -t tmpfs none hidden &&
    cp "$PROGS/calls" hidden/hiddenapp && echo mounted >told &&
    exec hidden/hiddenapp hidden/counts wait 7 >/dev/null' <go &
pid=$!
exec 9>go
trap 'exec 9>&-; kill $pid 2>/dev/null' EXIT
until [ -s told ] && [ "$(cat /proc/$pid/comm)" = hiddenapp ]; do
	kill -0 $pid || { echo "no unshare -m" >&2; exit 77; }
	sleep 0.05
done
ls hidden
"$DTRACE" -qn 'pid*:hiddenapp:fn_nop:entry { @name = count(); }
	pid*:/proc/'$pid/root$PWD'/hidden/hiddenapp:fn_nop:entry
	{ @path = count(); }
	pid*:hiddenapp:fn_nop:entry { @stacks[ustack(1)] = count(); }
	END { printa("name %@d, path %@d\n", @name, @path); printa(@stacks); }' \
	-c "sh -c 'echo >go; while kill -0 $pid 2>/dev/null; do sleep 0.1; done'" &
wait $pid
wait
