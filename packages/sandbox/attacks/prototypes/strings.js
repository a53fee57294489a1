/**
 * Replaces the functions that cut and measure texts, to write more than the limits allow.
 *
 * Holds: `harden.js` freezes strings; and the parent measures again.
 *
 * @ends violation storage_size
 */
for (const key of ['slice', 'charCodeAt', 'length', 'replace', 'codePointAt']) {
  try { Object.defineProperty(String.prototype, key, { value: () => '' }) } catch {}
}
await $.Storage.set('x'.repeat(30_000))
