/**
 * Calls the setters that repair assignments with other receivers.
 *
 * Holds: a setter defines the property on its own receiver, which a frozen one refuses.
 *
 * @ends completed
 * @log 4 refused
 */
const { set } = Object.getOwnPropertyDescriptor(Object.prototype, 'toString')
let refused = 0
for (const target of [Object.prototype, Math, $.Storage, 5]) try { set.call(target, () => 'ESCAPED') } catch { refused += 1 }
if (String(Math) === 'ESCAPED') $.log('ESCAPED')
$.log(refused, 'refused')
