# Two libraries whose helpers load a variable and call a subroutine, and copies of
# them for the number of every other.
echo 'dtrace:helper:ustack: { timestamp; "name" }' >ldgs.d
echo 'dtrace:helper:ustack: { substr("name", 0, 1) }' >call.d
for op in ldgs call; do
	"$DTRACE" -G -s $op.d -o $op.o && cc -shared $op.o -o $op.so || exit 1
done
python3 - >libraries <<'END'
import struct
NUMBERS = {"ldgs": (0x29, 0x101, [*range(0x100, 0x140), 0x200, *range(0x300, 0x320)]),
           "call": (0x2f, 32, [*range(64), *range(0x4000, 0x4008)])}
for name, (op, known, numbers) in NUMBERS.items():
    data = open(f"{name}.so", "rb").read()
    def code(number):
        return struct.pack("<I", op << 24 | number << 8 | 1)
    assert data.count(code(known)) == 1
    for number in numbers:
        with open(f"{name}{number}.so", "wb") as f:
            f.write(data.replace(code(known), code(number)))
        print(f"./{name}{number}.so")
END
mkfifo in out
LD_PRELOAD=$(paste -sd: libraries) cat <in >out &
exec 3>in 4<out
echo "it has the libraries" >&3
read -r answer <&4
"$DTRACE" -q -s "$CASE" -p $! >answers 2>&1
exec 3>&-
wait
sed -n 's/.*: \(.*\) is \(not for helpers\|not available in a helper\)$/\1: \2/p' answers | sort
