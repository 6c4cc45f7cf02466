mkdir lib
ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=%file -o log "$DTRACE" -q -n 'BEGIN { exit(0); }'
grep -c dlib log
ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=%file -o log "$DTRACE" -q -n 'BEGIN { x = ENOENT; exit(0); }'
grep -c 'errno\.d' log
grep -c 'net\.d' log || true
