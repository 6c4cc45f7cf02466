/*
 * Members of unnamed structs and unions are found: the length of a name is one
 * of a struct in a union in struct qstr.
 * @@args: -q
 */
BEGIN
{
	this->q = &curthread->fs->pwd.dentry->d_name;
	printf("%d %d\n", strlen(stringof(this->q->name)) == this->q->len,
	    this->q->len != 0);
	exit(0);
}
