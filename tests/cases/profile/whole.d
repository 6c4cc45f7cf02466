/*
 * A program that is sampled notices nothing: no call is cut short, and signals
 * still end those that they should.
 * @@args: -q
 * @@needs: prog:whole rate:4999
 * @@run: $PROGS/whole
 */
profile-4999
/pid == $target/
{
	n++;
}
END { printf("%d\n", n > 5); }
