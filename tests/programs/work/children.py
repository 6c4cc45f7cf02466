# SPDX-License-Identifier: BSD-2-Clause
import os
import subprocess

print(sum(len(subprocess.run(["/bin/echo", "x" * n], capture_output=True,
                             check=True).stdout) for n in range(20)))
total = 0
for n in range(20):
    pid = os.fork()
    if pid == 0:
        os._exit(n)
    total += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(total)
