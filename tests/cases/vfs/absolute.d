/*
 * An absolute name is shown as it was given, and its file system is not known,
 * which need not be that of the working directory.
 */
vfs:::mkdir, vfs:::symlink, vfs:::unlink, vfs:::rmdir, vfs:::setattr
/progenyof($target) && strstr(args[0]->fi_pathname, $$1) != NULL/
{
	printf("%s %s %s %s %s %s\n", probename, args[0]->fi_pathname,
	    args[0]->fi_dirname, args[0]->fi_name, args[0]->fi_fs,
	    args[0]->fi_mount);
}

vfs:::rename
/progenyof($target)/
{
	printf("%s %s %s %s\n", probename, args[0]->fi_pathname,
	    args[1]->fi_pathname, args[1]->fi_fs);
}
