src=${CASE%/*}/../../prog/helped.c
run() {
	# drops are reported when they are seen, before or after the record
	"$DTRACE" -q -c "./hostile 1" -s "$CASE" 2>errors | cat - errors |
	    grep -v -e leaf -e '^ *0x' -e '^$' | sed -e "s,$PWD,.," -e 's/0x[0-9a-f]*: DOF/NUMBER: DOF/' -e "s/is [0-9]*, more than the file's [0-9]*/is SIZE, more than the file's/"
}
try() {
	echo "dtrace:helper:ustack: { $2 }" >h.d
	"$DTRACE" -G -s h.d -o h.o && cc -O1 "$src" h.o -o hostile || exit 1
	echo "--- $1"
	run
}
try "reads the kernel" '*(int *)0xffffffff81000000; "name"'
try "a string of the kernel" 'strjoin((string)(char *)0xffffffff81000000, "x")'
try "copies from the kernel" 'this->p = alloca(8); bcopy((void *)0xffff888000000000, this->p, 8); "name"'
try "writes below its scratch" 'this->p = (uintptr_t)alloca(8); *(uint64_t *)(this->p - 64) = 1; "name"'
try "writes behind its scratch" 'this->p = (uintptr_t)alloca(8); *(uint64_t *)(this->p + 8) = 1; "name"'
try "copies over what is not its own" 'this->p = (uintptr_t)alloca(8); copyinto(arg1, 4096, (void *)(this->p - 1024)); "name"'
try "reads what is not there" 'copyinstr(16); "name"'
try "divides by zero" 'lltostr(1 / (arg1 - arg1))'
try "takes all scratch" 'alloca(1 << 30); "name"'
try "returns a kernel address" '(string)(char *)0xffffffff81000000'
try "knows other frames only" 'arg0 == 1 ? "@one" : "@other"'
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
