cat >transfer.py <<'END'
import socket
import threading
import time

SIZE = 5000000
listener = socket.create_server(("127.71.72.73", 0))
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()


def take(conn, left):
    while left > 0:
        left -= len(conn.recv(65536))
        time.sleep(0.001)


taker = threading.Thread(target=take, args=(server, SIZE))
taker.start()
client.sendall(bytes(SIZE))
taker.join()
server.sendall(bytes(1000))
take(client, 1000)
END
# A segment that is sent again is sent by a timer, in whatever thread the timer
# interrupts.  Some kernels run no BPF program in the threads of a process that
# they protect, as 6.18.44-fc does for process 1, so its sending is not seen.
# A wrong length is wrong each time.
for try in 1 2 3; do
	"$DTRACE" -q -s "$CASE" -c "python3 transfer.py" | awk '
	NF { bytes[$1] = $2 }
	END {
		sent = bytes["send"]
		received = bytes["all"]
		print "receive", bytes["receive"]
		all = sent >= 5000000 && sent < 9000000
		print "send", (all ? "all" : sent)
		all = received >= 5000000 && received <= sent
		print "received", (all ? "all" : received)
	}' >answer
	grep -q "received all" answer && break
done
cat answer
