// Two moving averages that cross, confirmed by the relative strength index (RSI).
//
// Attach this reaction to a data webhook, turn "send signal" on, and post one finished candle at a time,
// oldest first. Two fields of the payload are used, and others do no harm:
//
//   { "time": 1704067200000, "last": 101.25 }
//
//   time   when the candle opened, in Unix milliseconds
//   last   the price at the candle's end
//
// The rule. The averages cross upwards and the RSI is strong: LONG. They cross downwards and the RSI is weak:
// SHORT. A position ends with EXIT when the averages turn against it, or when the RSI has run so far that the
// move is likely to be spent. After an action the market is left alone for some candles, so that prices which
// hover around the averages do not trade to and fro.

const FAST = 24 // candles in the fast average
const SLOW = 72 // candles in the slow average
const RSI_PERIOD = 14
const STRONG = 60 // from here up the RSI confirms a rise; from 100 - 60 down it confirms a fall
const SPENT = 80 // from here up a rise is spent; from 100 - 80 down a fall is
const REST = 24 // candles between two actions, at the least
const KEEP = 200 // prices kept: after so many, what came before weighs under 3 % in the slow average

const candle = readCandle($.Request.data)
// Every run starts afresh. What has to be known next time is kept in $.Storage, as JSON of 24,576 bytes at the
// most: 200 prices take about a tenth of that.
const memory = (await $.Storage.get()) ?? { time: 0, prices: [], rested: REST }

// A sender may repeat itself. What is not newer than the last candle has been seen already.
if (candle.time > memory.time) {
  memory.time = candle.time
  memory.prices = [...memory.prices, candle.last].slice(-KEEP)
  memory.rested += 1

  const action = memory.rested > REST ? decide(measure(memory.prices), $.Strategy.lastTrigger.action) : null
  if (action !== null) memory.rested = 0
  await $.Storage.set(memory)
  // One action in a run, and the last thing that the run does. Whatever is given as `id` comes back with the
  // signal: here it tells which candle the signal belongs to.
  if (action !== null) await $.Strategy.action(action, { id: String(candle.time) })
}

/** The candle in the payload. An error thrown here fails this run, and shows in its record; nothing else happens. */
function readCandle(payload) {
  const { time, last } = JSON.parse(payload)
  if (!Number.isFinite(time)) throw new TypeError('"time" must be a number: Unix milliseconds.')
  if (!(Number.isFinite(last) && last > 0)) throw new TypeError('"last" must be a number above zero.')
  return { time, last }
}

/**
 * The indicators at the newest price: `gap` is fast average minus slow average, `gapBefore` the same one candle
 * earlier. `null` while there are too few prices for a meaningful answer.
 */
function measure(prices) {
  const fast = new $.Ta.EMA(FAST)
  const slow = new $.Ta.EMA(SLOW)
  const rsi = new $.Ta.RSI(RSI_PERIOD)
  let gap = null
  let gapBefore = null
  for (const price of prices) {
    fast.update(price)
    slow.update(price)
    rsi.update(price)
    gapBefore = gap
    gap = slow.isStable ? fast.getResult() - slow.getResult() : null
  }
  return gapBefore === null ? null : { gap, gapBefore, rsi: rsi.getResult() }
}

/**
 * What to do now, or `null` for nothing.
 *
 * `held` is the strategy's last action, and so its position: LONG, SHORT, or none after EXIT and before the
 * first action. To open what is already open would do nothing, and EXIT after EXIT breaks a rule of the
 * service and suspends the strategy, so neither is ever asked for. LONG while short turns the position round.
 */
function decide(now, held) {
  if (now === null) return null
  const { LONG, SHORT, EXIT } = $.Action
  const crossedUp = now.gapBefore <= 0 && now.gap > 0
  const crossedDown = now.gapBefore >= 0 && now.gap < 0

  if (crossedUp && now.rsi >= STRONG && held !== LONG) return LONG
  if (crossedDown && now.rsi <= 100 - STRONG && held !== SHORT) return SHORT
  if (held === LONG && (now.gap < 0 || now.rsi >= SPENT)) return EXIT
  if (held === SHORT && (now.gap > 0 || now.rsi <= 100 - SPENT)) return EXIT
  return null
}
