# SPDX-License-Identifier: BSD-2-Clause
# Timers, signals that interrupt calls, handlers that raise.
import os
import signal
import time

count = 0


def on_alarm(sig, frame):
    global count
    count += 1


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
end = time.monotonic() + 0.2
while time.monotonic() < end:
    time.sleep(0.01)
signal.setitimer(signal.ITIMER_REAL, 0)
print(count > 20)
caught = 0
for _ in range(100):
    try:
        signal.signal(signal.SIGUSR1, signal.default_int_handler)
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(1)
    except KeyboardInterrupt:
        caught += 1
print(caught)
