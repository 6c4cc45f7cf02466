cat >transfer.py <<'END'
import socket
import threading

SIZE = 5000000
listener = socket.create_server(("127.71.72.73", 0))
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()


def take(conn, left):
    while left > 0:
        left -= len(conn.recv(65536))


taker = threading.Thread(target=take, args=(server, SIZE))
taker.start()
client.sendall(bytes(SIZE))
taker.join()
server.sendall(bytes(1000))
take(client, 1000)
END
"$DTRACE" -q -s "$CASE" -c "python3 transfer.py" | LC_ALL=C sort |
    awk '$1 == "send" && $2 >= 5000000 && $2 < 9000000 { $2 = "all" } NF { print $1, $2 }'
