"$DTRACE" -q -x oformat=json -c "$PROGS/chain_fp 0" -s "$CASE" | python3 -c '
import json, sys
for line in sys.stdin:
    actions = json.loads(line).get("actions")
    if actions:
        pid, caller, stack = actions
        print(stack["action"], stack["type"], stack["pid"] == pid["value"],
            [f["address"] == caller["value"] for f in stack["frames"]])
'
