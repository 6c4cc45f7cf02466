"$DTRACE" -q -x oformat=csv -s "$CASE" | python3 -c '
import csv, io, re, sys
text = sys.stdin.buffer.read()
assert not re.search(rb"[^\r]\n$", text)
columns = {}
for row in csv.reader(io.StringIO(text.decode(), newline=""), strict=True):
    name = re.sub("#[0-9]+$", "#EPID", row[0])
    if row[1] == "time":
        assert row[0] not in columns
        columns[row[0]] = row
    else:
        assert len(row) == len(columns[row[0]]) and int(row[1]) > 0
        row[1] = "TIME"
        if row[0][0] != "@":
            row[2] = str(int(row[2]) * 0)
    print([name] + row[1:])
'
