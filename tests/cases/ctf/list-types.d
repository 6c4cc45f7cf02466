/*
 * -lT 'a.out`PATTERN' lists the types of a program of -c, from DWARF and CTF,
 * as -T takes them; a program without types says why.
 * @@needs: prog:types_dwarf5 prog:types_gctf
 */
BEGIN
{
	exit(0);
}
