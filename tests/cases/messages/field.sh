"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/^ *hint: //p'
while read -r desc; do
	"$DTRACE" -e -n "$desc" 2>&1 | sed -n 's/^ *hint: //p'
done <<'EOF'
syscall:read:entry
syscall::entry:read
syscall:::read
sdt::sched_switch:
sdt:sched:sched_switch:
rawtp:sched_switch::
proc:exec::
io:start
sched::cpucaps-sleep:
BEGIN:
tick:1s
profile:::97hz
proc:signal:send
EOF
# the pattern stays what it is
"$DTRACE" -e -n 'syscall::open*:enty' 2>&1 | sed -n 's/^ *hint: //p'
