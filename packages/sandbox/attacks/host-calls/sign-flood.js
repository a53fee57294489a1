/**
 * Signs texts without end, each as long as JSON escapes can make it.
 *
 * Holds: the total length that a run may sign is limited, and so is each text.
 *
 * @ends failed Error: A run may sign at most 1048576 characters.
 */
const text = '\u0000'.repeat(262_144)
for (;;) await Promise.all(Array.from({ length: 8 }, () => $.Http.generateSignature(text, 'secret')))
