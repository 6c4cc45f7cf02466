"$DTRACE" -q -w -x pcapsize=16 -c "$PROGS/known data" -s "$CASE" 2>err
grep -v matched err
python3 - <<'END'
import struct, time
data = open("packets", "rb").read()
magic, major, minor, _, _, snap, link = struct.unpack_from("<IHHIIII", data)
print(hex(magic), major, minor, snap, link)
at = 24
while at < len(data):
    sec, nsec, here, had = struct.unpack_from("<IIII", data, at)
    at += 16
    now = abs(time.time() - sec) < 60 and nsec < 1000000000
    print(now, here, had, data[at:at + here])
    at += here
END
