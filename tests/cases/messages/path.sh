for try in uprobe:/bin/bash:readline uretprobe:/lib/libc.so.6:malloc usdt:/bin/bash:x other:/bin/bash:x; do
	"$DTRACE" -e -n "$try { trace(1); }" 2>&1 | grep -e ' hint: ' -e 'the predicate' -e 'description is'
done
