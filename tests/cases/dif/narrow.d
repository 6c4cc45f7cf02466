/*
 * A cast shifts up and back; an unsigned one masks.
 */
BEGIN { trace((char)arg0); trace((uint16_t)arg0); }
