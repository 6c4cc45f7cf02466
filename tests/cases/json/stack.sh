"$DTRACE" -x oformat=json -s "$CASE" 2>/dev/null >out
python3 "${CASE%/*}/../../json_check.py" <out | grep -c 'not of the schema'
python3 - <<'END'
import json
_, firing, row, _ = (json.loads(line) for line in open("out"))
stack, printf, _ = firing["actions"]
for frames in stack["frames"], printf["args"][0]["frames"], \
        row["keys"][0]["frames"]:
    f = frames[0]
    print(len(frames), f["module"], f["symbol"] != "", f["offset"] >= 0,
          hex(f["address"])[:6])
print(stack["frames"][0]["symbol"] in printf["text"])
END
