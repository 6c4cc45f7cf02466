/*
 * Types that need no declaration are as x86-64 Linux has them: their sizes, and
 * whether all bits set are less than 0.
 * @@args: -q
 */
BEGIN
{
	printf("int8_t %d %d\n", sizeof(int8_t), (int8_t)-1 < 0);
	printf("int16_t %d %d\n", sizeof(int16_t), (int16_t)-1 < 0);
	printf("int32_t %d %d\n", sizeof(int32_t), (int32_t)-1 < 0);
	printf("int64_t %d %d\n", sizeof(int64_t), (int64_t)-1 < 0);
	printf("uint8_t %d %d\n", sizeof(uint8_t), (uint8_t)-1 < 0);
	printf("uint16_t %d %d\n", sizeof(uint16_t), (uint16_t)-1 < 0);
	printf("uint32_t %d %d\n", sizeof(uint32_t), (uint32_t)-1 < 0);
	printf("uint64_t %d %d\n", sizeof(uint64_t), (uint64_t)-1 < 0);
	printf("intptr_t %d %d\n", sizeof(intptr_t), (intptr_t)-1 < 0);
	printf("uintptr_t %d %d\n", sizeof(uintptr_t), (uintptr_t)-1 < 0);
	printf("size_t %d %d\n", sizeof(size_t), (size_t)-1 < 0);
	printf("ssize_t %d %d\n", sizeof(ssize_t), (ssize_t)-1 < 0);
	printf("ptrdiff_t %d %d\n", sizeof(ptrdiff_t), (ptrdiff_t)-1 < 0);
	printf("pid_t %d %d\n", sizeof(pid_t), (pid_t)-1 < 0);
	printf("id_t %d %d\n", sizeof(id_t), (id_t)-1 < 0);
	printf("uid_t %d %d\n", sizeof(uid_t), (uid_t)-1 < 0);
	printf("gid_t %d %d\n", sizeof(gid_t), (gid_t)-1 < 0);
	printf("zoneid_t %d %d\n", sizeof(zoneid_t), (zoneid_t)-1 < 0);
	printf("processorid_t %d %d\n", sizeof(processorid_t), (processorid_t)-1 < 0);
	printf("psetid_t %d %d\n", sizeof(psetid_t), (psetid_t)-1 < 0);
	printf("chipid_t %d %d\n", sizeof(chipid_t), (chipid_t)-1 < 0);
	printf("lgrp_id_t %d %d\n", sizeof(lgrp_id_t), (lgrp_id_t)-1 < 0);
	printf("cpuinfo_t %d\n", sizeof(cpuinfo_t));
	printf("dev_t %d %d\n", sizeof(dev_t), (dev_t)-1 < 0);
	printf("major_t %d %d\n", sizeof(major_t), (major_t)-1 < 0);
	printf("minor_t %d %d\n", sizeof(minor_t), (minor_t)-1 < 0);
	printf("ipaddr_t %d %d\n", sizeof(ipaddr_t), (ipaddr_t)-1 < 0);
	printf("in6_addr_t %d\n", sizeof(in6_addr_t));
	printf("ino_t %d %d\n", sizeof(ino_t), (ino_t)-1 < 0);
	printf("nlink_t %d %d\n", sizeof(nlink_t), (nlink_t)-1 < 0);
	printf("mode_t %d %d\n", sizeof(mode_t), (mode_t)-1 < 0);
	printf("off_t %d %d\n", sizeof(off_t), (off_t)-1 < 0);
	printf("daddr_t %d %d\n", sizeof(daddr_t), (daddr_t)-1 < 0);
	printf("time_t %d %d\n", sizeof(time_t), (time_t)-1 < 0);
	printf("clock_t %d %d\n", sizeof(clock_t), (clock_t)-1 < 0);
	printf("hrtime_t %d %d\n", sizeof(hrtime_t), (hrtime_t)-1 < 0);
	printf("caddr_t %d %d\n", sizeof(caddr_t), (caddr_t)-1 < (caddr_t)0);
	printf("uchar_t %d %d\n", sizeof(uchar_t), (uchar_t)-1 < 0);
	printf("ushort_t %d %d\n", sizeof(ushort_t), (ushort_t)-1 < 0);
	printf("uint_t %d %d\n", sizeof(uint_t), (uint_t)-1 < 0);
	printf("ulong_t %d %d\n", sizeof(ulong_t), (ulong_t)-1 < 0);
	printf("longlong_t %d %d\n", sizeof(longlong_t), (longlong_t)-1 < 0);
	printf("u_longlong_t %d %d\n", sizeof(u_longlong_t), (u_longlong_t)-1 < 0);
	printf("offset_t %d %d\n", sizeof(offset_t), (offset_t)-1 < 0);
	printf("_Float32 %d\n", sizeof(_Float32));
	printf("_Float32x %d\n", sizeof(_Float32x));
	printf("_Float64 %d\n", sizeof(_Float64));
	printf("_Float64x %d\n", sizeof(_Float64x));
	printf("_Float128 %d\n", sizeof(_Float128));
	printf("__int128_t %d\n", sizeof(__int128_t));
	printf("__uint128_t %d\n", sizeof(__uint128_t));
	printf("u_char %d %d\n", sizeof(u_char), (u_char)-1 < 0);
	printf("u_short %d %d\n", sizeof(u_short), (u_short)-1 < 0);
	printf("u_int %d %d\n", sizeof(u_int), (u_int)-1 < 0);
	printf("u_long %d %d\n", sizeof(u_long), (u_long)-1 < 0);
	exit(0);
}
