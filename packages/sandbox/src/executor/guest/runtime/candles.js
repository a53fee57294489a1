/** `$.candles` and `$.Candles`. */

import { endingOf, openingOf, readInterval } from '../../../candle-intervals.ts'
import { joinCandles } from '../../../candles.ts'
import { candlesPerCall, intervalLengthLimit, symbolLengthLimit, venueLengthLimit } from '../../../limits.ts'
import { checkText, isPlainObject, kindOf, member } from './arguments.js'
import { ask } from './host.js'

const { freeze, keys } = Object
const { isArray } = Array
const { isSafeInteger } = Number
const Floats = Float64Array

/** All candles share a prototype with the name that indicators read, which code must not contain. */
function Candle(time, open, high, low, last, volume, done) {
  this.time = time
  this.open = open
  this.high = high
  this.low = low
  this.last = last
  this.volume = volume
  this.done = done
}
const { prototype } = Candle
delete prototype.constructor
Object.defineProperty(prototype, 'close', {
  __proto__: null,
  get: freeze(
    {
      get() {
        return this.last
      },
    }.get,
  ),
  enumerable: false,
})
freeze(prototype)
freeze(Candle)

/** `$.candles` of a run. The list and its candles belong to the code, which may change them. */
export function candlesOf(state) {
  return freeze(async (symbol, interval, count, options) => {
    checkText(symbol, 'symbol', symbolLengthLimit)
    checkInterval(interval)
    if (!isSafeInteger(count) || count < 1 || count > candlesPerCall)
      throw new RangeError(`count must be a whole number from 1 to ${candlesPerCall}`)
    const request = { symbol, interval, count, ...venueOf(options) }
    return read(await ask(state, 'candles', { request }))
  })
}

function checkInterval(interval) {
  checkText(interval, 'interval', intervalLengthLimit)
  const read = readInterval(interval)
  if (read === undefined) throw new TypeError('interval must be a text such as 1m, 4h, 1d, 1w or 1M')
  return read
}

/** Only fields that exist: a misspelt one that is silently ignored would give candles of another exchange. */
function venueOf(options) {
  const venue = { exchange: null, service: null }
  if (options === undefined) return venue
  if (!isPlainObject(options))
    throw new TypeError(
      `options must be a plain object such as { exchange: 'binance' }, got ${kindOf(options)}`,
    )
  for (const key of keys(options)) {
    if (key !== 'exchange' && key !== 'service')
      throw new TypeError(`${member('options', key)} is not an option of $.candles`)
    const value = options[key]
    if (value === undefined) continue
    checkText(value, `options.${key}`, venueLengthLimit)
    venue[key] = value
  }
  return venue
}

/** Reads the columns that the host sends. */
function read(buffer) {
  const columns = new Floats(buffer)
  const count = (columns.length - 1) / 6
  const isLastDone = columns[6 * count] === 1
  const candles = []
  for (let index = 0; index < count; index += 1) {
    candles[index] = new Candle(
      columns[index],
      columns[count + index],
      columns[2 * count + index],
      columns[3 * count + index],
      columns[4 * count + index],
      columns[5 * count + index],
      index < count - 1 || isLastDone,
    )
  }
  return candles
}

function checkCandles(candles) {
  if (!isArray(candles)) throw new TypeError('candles must be a list, as $.candles returns it')
  return candles
}

function column(name) {
  return freeze((candles) => {
    const values = []
    for (const candle of checkCandles(candles)) values.push(candle[name])
    return values
  })
}

export const Candles = freeze({
  lasts: column('last'),
  highs: column('high'),
  lows: column('low'),
  volumes: column('volume'),
  typical: freeze((candles) => {
    const values = []
    for (const { high, low, last } of checkCandles(candles)) values.push((high + low + last) / 3)
    return values
  }),
  resample: freeze((candles, interval) => {
    const wanted = checkInterval(interval)
    const stepMs = stepOf(checkCandles(candles))
    const opening = openingOf(wanted, candles[0]?.time ?? 0)
    if (stepMs > endingOf(wanted, opening) - opening)
      throw new RangeError(`interval must not be shorter than that of the candles, got ${interval}`)
    return joinCandles(candles, wanted, stepMs).map(
      ({ time, open, high, low, last, volume, done }) =>
        new Candle(time, open, high, low, last, volume, done),
    )
  }),
})

/** The duration of candles: the shortest distance between two. Nobody knows that of a single one. */
function stepOf(candles) {
  let stepMs = Infinity
  for (let index = 1; index < candles.length; index += 1) {
    const distance = candles[index].time - candles[index - 1].time
    if (!(distance > 0)) throw new RangeError('candles must be in order of time, oldest first')
    if (distance < stepMs) stepMs = distance
  }
  return stepMs === Infinity ? 0 : stepMs
}
