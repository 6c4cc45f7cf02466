. "$CASES/../disk.bash"
cat >work <<'END'
import ctypes, mmap, os, sys
memory = mmap.mmap(-1, 4 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_HUGEPAGE)
memory.write(bytes(4 << 20))
at = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % (2 << 20)
disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
os.preadv(disk, [memoryview(memory)[at + 12288:at + 20480]], 0)
END
"$DTRACE" -q -s "$CASE" -c "python3 work $disk" "$disk"
