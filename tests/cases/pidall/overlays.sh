cat >run <<'END'
mkdir space && mount -t tmpfs none space && cd space || exit 1
mkdir image
cp "$PROGS/calls" image/app
for n in 1 2; do
	mkdir upper$n work$n root$n
	mount -t overlay -o lowerdir=image,upperdir=upper$n,workdir=work$n none \
	    root$n || exit 1
done
root1/app c wait 3 <../go1 &
root2/app d wait 4 <../go2 &
image/app e wait 5 <../go3 &
wait
END
mkfifo go1 go2 go3 && exec 7<>go1 8<>go2 9<>go3 || exit 1
unshare -m sh ./run >ready 2>errors &
trap 'kill $! 2>/dev/null' EXIT
until [ "$(grep -c ready ready 2>/dev/null)" = 3 ]; do
	kill -0 $! 2>/dev/null || { echo "no overlays: $(cat errors)" >&2; exit 77; }
	sleep 0.05
done
"$DTRACE" -qn 'pid*:app:fn_nop:entry { @ = count(); @pids[probeprov] = count(); }
	END { printa("%@d\n", @); printa("%@d\n", @pids); }' \
	-c "sh -c 'for n in 1 2 3; do echo >go\$n; done; while kill -0 $! 2>/dev/null; do sleep 0.1; done'"
