cat > events.py <<'END'
import socket

listener = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)
listener.bind((0, 1))
for action, path in (("add", "net/lo"), ("move", "net/lo"),
                     ("change", "mem/null")):
    with open(f"/sys/class/{path}/uevent", "w", encoding="ascii") as f:
        f.write(action)
END
"$DTRACE" -q -x strsize=27 -s "$CASE" -c "python3 events.py"
