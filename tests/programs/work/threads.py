# SPDX-License-Identifier: BSD-2-Clause
import queue
import threading

work, done = queue.Queue(), queue.Queue()


def serve():
    while (n := work.get()) is not None:
        done.put(sum(i * i for i in range(n)))


threads = [threading.Thread(target=serve) for _ in range(8)]
for t in threads:
    t.start()
for n in range(400):
    work.put(n)
for _ in threads:
    work.put(None)
for t in threads:
    t.join()
print(sum(done.get() for _ in range(400)))
