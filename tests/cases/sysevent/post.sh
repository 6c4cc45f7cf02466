cat > events.py <<'END'
import socket

listener = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)
listener.bind((0, 1))
for action, path in (
        *[("change", "class/mem/null")] * 3, ("add", "class/net/lo"),
        ("remove", "module/virtio_pci"), ("online", "devices/system/cpu/cpu0")):
    with open(f"/sys/{path}/uevent", "w", encoding="ascii") as f:
        f.write(action)
END
"$DTRACE" -q -s "$CASE" -c "python3 events.py"
