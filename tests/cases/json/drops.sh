"$DTRACE" -q -x oformat=json -x aggsize=16k -c "$PROGS/known seq:5000" \
    -s "$CASE" >out 2>err
python3 "${CASE%/*}/../../json_check.py" <out | grep -c "not of the schema"
python3 - <<'END'
import json
rows = lost = 0
for line in open("out"):
    event = json.loads(line)
    rows += event["event"] == "aggregation"
    if event["event"] == "drop":
        assert event["kind"] == "AGGREGATION" and event["cpu"] >= 0
        lost += event["count"]
print(lost > 0, rows + lost)
print(event["event"], event["drops"] == {"AGGREGATION": lost})
END
grep -c drop err || :
