/*
 * Types of a module: by its name, and without any where vmlinux has none; they
 * contain those of vmlinux.  Symbols of a module by its name.
 * @@args: -q
 * @@needs: root bpf btf:overlay
 */
BEGIN
{
	printf("%d %d\n", sizeof (overlay`struct ovl_inode) > 0,
	    sizeof (struct ovl_inode) == sizeof (overlay`struct ovl_inode));
	this->o = (struct ovl_inode *)0;
	this->i = &this->o->vfs_inode;
	printf("%d\n", (uintptr_t)&this->i->i_ino -
	    offsetof(struct ovl_inode, vfs_inode) ==
	    offsetof(vmlinux`struct inode, i_ino));
	printf("%a\n", (uintptr_t)&overlay`ovl_lookup);
	exit(0);
}
