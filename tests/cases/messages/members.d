/*
 * Where no member is near, all are listed if they are few, and else those that
 * share a word with what was written.
 * @@needs: nothing
 */
struct few { int aa_one; struct { int bb_two; }; } f;
struct many { int m_1, m_2, m_3, m_4, m_5, m_6, m_7, m_8, m_9, m_10, m_11, m_12,
    m_13, m_14, m_15, m_16, m_17, m_18, m_19, m_20, m_21, m_22, m_23, m_24,
    nr_queued, h_nr_idle; } m;
BEGIN { trace(f.whatever); }
BEGIN { trace(m.nr_running); }
BEGIN { trace(m.whatever); }
BEGIN { trace(offsetof(struct few, whatever)); }
