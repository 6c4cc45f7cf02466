/*
 * Every type of section prints in full, in both byte orders and data models.
 */
BEGIN
{
}
