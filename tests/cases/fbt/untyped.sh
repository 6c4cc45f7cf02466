module=$(busybox find -L "/lib/modules/$(uname -r)/kernel/drivers/net" \
    -name 'nlmon.ko*')
case $module in
*.xz) xz -dc "$module" >typed.ko ;;
*) cp "$module" typed.ko ;;
esac
objcopy -R .BTF typed.ko nlmon.ko
busybox insmod nlmon.ko
"$DTRACE" -q -s "$CASE" -c 'unshare -n sh -c "ip link add n0 type nlmon &&
    ip link set n0 up"'
"$DTRACE" -n 'fbt:nlmon:nlmon_open:entry { trace(args[0]); }' 2>&1 | head -n 1
busybox rmmod nlmon
