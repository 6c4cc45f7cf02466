"$DTRACE" -x oformat=json -c "$PROGS/helped 1" -s "$CASE" 2>/dev/null >out
python3 "${CASE%/*}/../../json_check.py" <out | grep -c 'not of the schema'
python3 - <<'END'
import json
for line in open("out"):
    for action in json.loads(line).get("actions", []):
        for frame in action["frames"]:
            print(frame.get("symbol"), frame.get("helper"),
                  frame.get("annotation"))
END
