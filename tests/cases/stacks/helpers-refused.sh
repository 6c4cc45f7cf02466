. "$CASES/../helper.bash"
try "asks what helpers may not" 'self->x = 1; "name"'
try "asks what there is not" 'strtoll("12"); "name"'
try "is long" 'this->buf = copyin(arg1 & ~4095, 3000); "@long"'
echo '--- is damaged'
python3 - <<'END'
data = bytearray(open("hostile", "rb").read())
at = data.rindex(b"\x7fDOF")
data[at + 44:at + 48] = b"\xff\xff\xff\x7f"
open("hostile", "r+b").write(data)
END
run
