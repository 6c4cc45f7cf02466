/*
 * A bit-field of a packed struct that lies in nine bytes.
 */
this struct packed p;
BEGIN { trace(this->p.nine); }
