/**
 * Gives every object a member, in every way.
 *
 * Holds: `harden.js` freezes the prototype of all objects.
 *
 * @ends completed
 * @log 7 refused
 */
let refused = 0
for (const pollute of [
  () => { Object.prototype.polluted = 1 },
  () => { ({}).__proto__.polluted = 1 },
  () => { Object.defineProperty(Object.prototype, 'polluted', { value: 1 }) },
  () => { Object.assign(Object.prototype, { polluted: 1 }) },
  () => { Object.prototype.__defineGetter__('polluted', () => 1) },
  () => { Object.setPrototypeOf(Object.prototype, { polluted: 1 }) },
  () => { Object.prototype.__proto__ = { polluted: 1 } },
]) try { pollute() } catch { refused += 1 }
if (({}).polluted !== undefined) $.log('ESCAPED')
$.log(refused, 'refused')
