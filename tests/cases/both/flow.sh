# on one CPU: the flow is that of each CPU
taskset -c 0 "$DTRACE" -F -x substrate=both -s "$CASE" -c "$PROGS/mixed 2"
