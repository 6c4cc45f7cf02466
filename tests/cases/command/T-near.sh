for type in tcpsinf_t 'struct task_strukt' task_struct tcpsinfo 'struct pid_type' 'struct {' \
    'int); exit(0' '' 'nosuch`struct qstr'; do
	"$DTRACE" -T "$type" 2>&1
	echo "status $?"
done
"$DTRACE" -T 'struct nosuch *' 2>&1
"$DTRACE" -h -T int 2>&1 | head -1
