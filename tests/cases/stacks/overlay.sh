mkdir lower merged top
cp "$PROGS/known" lower
# upper and work must not be in an overlay themselves
unshare -m sh -c 'mount -t tmpfs none top && mkdir top/upper top/work &&
    mount -t overlay none merged \
	-o "lowerdir=$PWD/lower,upperdir=$PWD/top/upper,workdir=$PWD/top/work" &&
    "$DTRACE" -q -s "$CASE" -c "merged/known seq:1"' >out 2>&1
sed 's/+0x.*//; s/^ *//' out | grep .
