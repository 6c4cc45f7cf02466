cat >map.py <<'END'
import mmap
import sys
keep = []
for n in range(1001):
    with open(f"many{n}.so", "wb+") as file:
        file.write(b"\x7fELF" + bytes(4092))
        file.flush()
        keep.append(mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE,
                              mmap.PROT_READ | mmap.PROT_EXEC))
print("mapped", flush=True)
sys.stdin.read()
END
mkfifo go
python3 map.py <go >told &
exec 9>go
trap 'exec 9>&-; wait' EXIT
until [ -s told ]; do sleep 0.05; done
"$DTRACE" -n 'pid*:many*.so::entry { }' 2>&1 | grep -o 'module .*'
"$DTRACE" -n 'pid*:many1*.so::entry { }' 2>&1 | grep -o 'the code of .*' |
    sed 's/of .*many/of many/'
