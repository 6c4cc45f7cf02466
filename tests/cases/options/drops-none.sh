# Records of 4 KB, and 320 MB of them while dtrace reads none
"$DTRACE" -q -x bufsize=64k -x switchrate=1h -x bufresize=auto -n '
    syscall::getpriority:entry /pid == $target && arg0 == 0x7001/ {
        tracemem(curthread, 4096); }' -c "taskset -c 0 $PROGS/known seq:80000" 2>&1 >/dev/null |
    sed 's/[0-9][0-9]* drops on CPU [0-9]*/N drops/' | sort -u
