busybox modprobe -a sd_mod
busybox modprobe scsi_debug
trap 'busybox modprobe -r scsi_debug' EXIT
disks=/sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block
until disk=$(ls $disks 2>/dev/null) && [ -e "/dev/$disk" ]; do
	sleep 0.1
done
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/$disk of=/dev/null bs=4k count=2 \
    iflag=direct status=none" "$disk"
