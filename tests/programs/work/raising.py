# SPDX-License-Identifier: BSD-2-Clause
import json
import re
import zlib


def deep(n):
    if n == 0:
        raise ValueError("deep")
    return deep(n - 1)


seen = 0
for n in range(300):
    try:
        deep(n)
    except ValueError as e:
        seen += len(str(e))
data = json.dumps({str(i): [i] * 5 for i in range(1000)})
print(seen, len(zlib.compress(data.encode())), len(re.findall(r"\d+", data)))
