/**
 * Replaces how texts are cut and measured, to write more than the limits allow.
 *
 * Holds: `harden.js` freezes texts; and the parent measures by itself.
 *
 * @ends violation storage_size
 */
for (const key of ['slice', 'charCodeAt', 'length', 'replace', 'codePointAt']) {
  try { Object.defineProperty(String.prototype, key, { value: () => '' }) } catch {}
}
await $.Storage.set('x'.repeat(30_000))
