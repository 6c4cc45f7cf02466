objcopy -R .BTF "$(busybox find -L "/lib/modules/$(uname -r)/kernel/drivers/net" \
    -name nlmon.ko)" nlmon.ko
busybox insmod nlmon.ko
"$DTRACE" -q -s "$CASE" -c 'unshare -n sh -c "ip link add n0 type nlmon &&
    ip link set n0 up"'
"$DTRACE" -n 'fbt:nlmon:nlmon_open:entry { trace(args[0]); }' 2>&1 | head -n 1
busybox rmmod nlmon
