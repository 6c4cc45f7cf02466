# root of a user namespace has all capabilities, but not outside
sleep 60 &
unshare -Ur "$DTRACE" -en "pid$!:libc.so.6:malloc:entry" 2>&1 |
    sed -n "s/.*: process $! /process N /p"
kill $!
