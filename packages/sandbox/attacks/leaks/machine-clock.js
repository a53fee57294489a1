/**
 * Looks for the clock of the machine: by every way to make a date, and by what freezing might have missed.
 *
 * Holds: `Date` and `Math.random` are replaced before everything is frozen, and dates lead only to the replacement.
 *
 * @ends completed
 * @log one time, one chance
 */
const of = 'constru' + 'ctor'
const Mine = class extends Date { static make() { return new super[of].prototype[of]() } }
const makers = new Set([Date, Date.prototype[of], new Date()[of], new (class extends Date {})()[of].__proto__, Object.getPrototypeOf(Mine), Object.getPrototypeOf(new Date())[of], new (Date.bind())()[of]])
const times = new Set([new Date().getTime()])
const look = () => {
  for (const Maker of [...makers].filter((Maker) => Maker?.prototype instanceof Date || Maker === Date)) times.add(new Maker().getTime()).add(Maker.now())
  for (const make of [() => Date.now.apply(Date), () => +new Mine(), () => Object.create(Date).now(), () => new Date(...[]).valueOf()]) times.add(make())
}
look()
for (let turns = 0; turns < 2e6; turns += 1) Math.sqrt(turns)
look()
for (let turns = 0; turns < 1e3; turns += 1) await null
look()
for (const name of ['Temporal', 'Intl', 'performance', 'WeakRef', 'Atomics']) if (typeof (void 0)?.[name] !== 'undefined') $.log('ESCAPED', name)
for (const key of [...Object.getOwnPropertyNames(Date.prototype), ...Object.getOwnPropertySymbols(Date.prototype)]) if (/temporal/i.test(String(key))) $.log('ESCAPED', key)
if (/native code/.test(String(Date)) || /native code/.test(String(Date.now)) || /native code/.test(String(Math.random))) $.log('ESCAPED', 'an original')
for (const change of [() => { Date.prototype[of] = class {} }, () => { Date.now = () => 1 }, () => { Math.random = () => 1 }, () => { Date.now.prototype = 1 }, () => new Date.now(), () => new Math.random()]) try { change(); $.log('ESCAPED', String(change)) } catch {}
$.log(times.size === 1 ? 'one time,' : `ESCAPED ${[...times]}`, new Set(Array.from({ length: 100 }, Math.random)).size === 100 ? 'one chance' : 'none')
