"$DTRACE" -e -s "$CASE" 2>&1 | sed -n '1s/^[^]]*] //p; s/^ *hint: //p'
for use in 'curthread->se->on_rq' 'curpsinfo.pr_pid' 'fds[0]->fi_name' \
    'pid.x' 'pid->x' "execname == 'bash'" 'execname == 1'; do
	"$DTRACE" -e -n "BEGIN { trace($use); }" 2>&1 |
	    sed -n '1s/^[^]]*] //p; s/^ *hint: //p'
done
