/**
 * Replaces the matching of regular expressions, which the runtime uses to measure texts.
 *
 * Holds: `harden.js` freezes them.
 *
 * @ends violation storage_size
 */
for (const key of ['exec', 'test', Symbol.match, 'flags', 'global']) {
  try { Object.defineProperty(RegExp.prototype, key, { value: () => null }) } catch {}
}
await $.Storage.set('é'.repeat(13_000))
