/**
 * The time and the chance of a run. Both come from outside, so that a run can be repeated exactly: the clock stands still
 * from the start of the run, moves on only with the answer of a host call, and `Math.random` follows from a seed.
 *
 * These modules run before `harden.js`, which freezes the replacements. Nothing that code can reach leads to the originals:
 * dates share their prototype with the replacement, whose `constructor` is the replacement too, and the other ways to the
 * clock (`Temporal`, `Intl`, `performance`) are not on the list of `harden.js`.
 */

import { nextNumber, sow } from './random.js'

const { construct } = Reflect
const { defineProperty } = Object
const MachineDate = Date
const textOf = Function.prototype.call.bind(Date.prototype.toString)

/** What the clock of the current run shows, in Unix milliseconds. */
let time = 0
let seed = 0
/** Happens with the first number that a run asks for, since most runs ask for none. */
let isSown = false

/** Begins the time and the chance of a run. */
export function beginClock(startMs, seedOfRun) {
  time = startMs
  seed = seedOfRun
  isSown = false
}

/** Moves the clock of the current run on. */
export function moveClock(ms) {
  time = ms
}

/** The members of `Date` and `Math` that read these. Methods, which nobody can construct, as V8's own. */
export const { now, random } = {
  now() {
    return time
  },
  random() {
    if (!isSown) {
      sow(seed)
      isSown = true
    }
    return nextNumber()
  },
}

/** `Date` of the code. Its parameters are there for its length. */
function StandingDate(_year, _month, _day, _hours, _minutes, _seconds, _ms) {
  if (new.target === undefined) return textOf(new MachineDate(time))
  // biome-ignore lint/complexity/noArguments: the number of arguments decides, and parameters would hide it.
  return construct(MachineDate, arguments.length === 0 ? [time] : arguments, new.target)
}

const { prototype } = MachineDate
define(StandingDate, 'name', 'Date', { configurable: true })
define(StandingDate, 'prototype', prototype, {})
for (const [name, value] of [
  ['now', now],
  ['parse', MachineDate.parse],
  ['UTC', MachineDate.UTC],
]) {
  define(StandingDate, name, value, { writable: true, configurable: true })
}
define(prototype, 'constructor', StandingDate, { writable: true, configurable: true })
define(globalThis, 'Date', StandingDate, { writable: true, configurable: true })

define(Math, 'random', random, { writable: true, configurable: true })

function define(object, key, value, attributes) {
  defineProperty(object, key, { __proto__: null, value, writable: false, enumerable: false, ...attributes })
}
