/*
 * Bit-fields of a packed struct cross the units of their types; they are loaded
 * and stored all the same.
 */
this struct packed p;
BEGIN
{
	this->p.first = 0x3f;
	this->p.second = 0x15;
	this->p.third = 0x555555;
	this->p.fourth = 0x2aaaaaaa;
	this->p.odd = 5;
	this->p.second ^= 0x1f;
	printf("%x %x %x %x %x\n", this->p.first, this->p.second,
	    this->p.third, this->p.fourth, this->p.odd);
	this->p.first = 0;
	this->p.third++;
	printf("%x %x %x %x %x\n", this->p.first, this->p.second,
	    this->p.third, this->p.fourth, this->p.odd);
	exit(0);
}
