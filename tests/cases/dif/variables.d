/*
 * Each scope has its loads and stores.
 */
BEGIN
{
	g = 1;
	self->t = g;
	this->l = self->t + g;
}
