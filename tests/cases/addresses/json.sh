"$DTRACE" -x oformat=json -c "$PROGS/syms" -s "$CASE" 2>/dev/null | python3 -c '
import json, sys
def show(datum):
    v = datum["value"]
    print(datum.get("action"), datum["type"], datum.get("pid") in (pid, None), v.get("module"),
        v.get("symbol"), v.get("offset"))
pid = None
for line in sys.stdin:
    if not line.startswith("{"):
        continue
    event = json.loads(line)
    if event["event"] == "probe" and pid is None:
        pid = event["actions"][0]["value"]
        for action in event["actions"][1:-1]:
            show(action)
    elif event["event"] == "aggregation":
        show(event["keys"][0])
        print(event["keys"][0]["value"]["address"] == event["keys"][1]["value"])
'
