which protoc >/dev/null || { echo "protoc (protobuf-compiler) is not installed" >&2; exit 77; }
tests="${CASE%/*}/../.."
cat >look.py <<'EOF'
import json, re, sys
stacks, waits, ran, woken, calls = {}, set(), set(), set(), 0
for line in sys.stdin:
    m = re.match(r" *(begin|end|instant) (CPU|sleep|sh) (.*?) (\{.*)", line)
    if not m:
        continue
    kind, track, name, args = m[1], m[2], m[3], json.loads(m[4])
    calls += kind == "begin" and ":entry" in args["probe"]
    if track == "CPU":
        if kind == "begin":
            ran.add(re.sub(r" \d+$", " TID", name))
        continue
    stack = stacks.setdefault(track, [])
    if kind == "begin":
        if name == "off-cpu" and stack:
            waits.add((track, stack[-1]))
        stack.append(name)
    elif kind == "end":
        stack.pop()
    elif name == "wakeup":
        woken.add(re.sub(r"\d+$", "TID", args["printf"]))
print("waits in calls:", sorted(w for w in waits
                                if w[1] in ("clock_nanosleep", "wait4")))
print("ran:", sorted(ran & {"sh TID", "sleep TID"}))
print("system calls:", calls > 50)
print("woken:", "wakes sh TID" in woken)
EOF
for form in pftrace json; do
	"$DTRACE" --timeline -o out.$form -c 'sh -c "sleep 0.2; exit 0"'
	kind=perfetto
	[ $form = pftrace ] || kind=chrome
	python3 "$tests/timeline_check.py" $kind out.$form >text || echo "$form is not good"
	grep ^status text
	python3 look.py <text
done
# a later option has another form; more probes can be added
"$DTRACE" --timeline -x oformat=json -o out -n 'BEGIN { trace("more"); exit(0); }'
grep -c '"more"' out
"$DTRACE" --timeline --flame -o out 2>&1 | head -1
python3 -c '
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
' "$DTRACE" --timeline </dev/null >refused
head -1 refused | tr -d "\r"
"$DTRACE" run --show timeline | grep -c 'sched:::on-cpu'
