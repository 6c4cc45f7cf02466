/*
 * Lines that begin with # are comments in -h and -G, as libvirt has them.
 * @@needs: nothing
 */
provider virt {
	# file: src/some/file.c
	# prefix: rpc
	probe rpc_new(void *sock, int refs, int fd);
};
