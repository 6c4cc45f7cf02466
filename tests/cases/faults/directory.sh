for call in 'unlinkat:os.unlink("nosuch", dir_fd=d)' \
    'openat:os.open("nosuch", 0, dir_fd=d)' \
    'rmdir:ctypes.CDLL(None).rmdir(ctypes.c_void_p(d))'; do
	"$DTRACE" -qn "syscall::${call%%:*}:entry /pid == \$target/ {
	    trace(copyinstr(arg0)); }" -c "python3 -c '
import ctypes, os
d = os.open(\"/\", os.O_RDONLY)
for i in range(3):
    try:
        ${call#*:}
    except OSError:
        pass
'" 2>&1 >/dev/null | grep hint
	echo "${call%%:*}"
done
