# The first line is from the kernel's BTF, the second from the file.
"$DTRACE" -q -x ctypes=types.ctf -s "$CASE" >first
"$DTRACE" -q -x ctfpath=types.ctf -s "$CASE" >second
cmp first second && [ -s first ] && echo same
# C's own types are there, other structs of the kernel are not
"$(dirname "$DTRACE")"/ctfdump -t types.ctf >dump
grep -c 'STRUCT task_struct ' dump
grep -c '<.*TYPEDEF size_t ' dump
grep -c 'STRUCT ext4_inode ' dump || true
