// Two moving averages that cross, confirmed by the relative strength index (RSI).
//
// Attach this reaction to a data webhook, turn on "send signal", and post one finished candle at a time, oldest
// first. The code uses two fields of the payload and ignores all others:
//
//   { "time": 1704067200000, "last": 101.25 }
//
//   time   when the candle opened, in Unix milliseconds
//   last   the price at the candle's end
//
// The rule. If the fast average crosses above the slow one and the RSI is strong: LONG. If it crosses below and the
// RSI is weak: SHORT. If the averages turn against the position, or the RSI is so extreme that the move is probably
// exhausted: EXIT. After an action, the reaction pauses for some candles, so that it does not trade back and forth
// while prices stay near the averages.
//
// To end its position by hand, switch the reaction off and post {"symbol": "...", "side": "EXIT"} to the bot
// webhook that it sends to.

const FAST = 24 // candles in the fast average
const SLOW = 72 // candles in the slow average
const RSI_PERIOD = 14
const STRONG = 60 // an RSI of at least 60 confirms a rise; one of at most 100 - 60 confirms a fall
const SPENT = 80 // at an RSI of at least 80 a rise is exhausted; at one of at most 100 - 80 a fall is
const REST = 24 // candles without an action after each action
const KEEP = 200 // stored prices: older ones would have less than 3 % of the weight in the slow average

const candle = readCandle($.Request.data)
// Variables do not survive a run; $.Storage does. It takes JSON of at most 24,576 bytes, and 200 prices need about a
// tenth of that.
const memory = (await $.Storage.get()) ?? { time: 0, prices: [], rested: REST }

// A sender may repeat a candle: ignore every candle that is not newer than the last one.
if (candle.time > memory.time) {
  memory.time = candle.time
  memory.prices = [...memory.prices, candle.last].slice(-KEEP)
  memory.rested += 1

  const action = memory.rested > REST ? decide(measure(memory.prices), $.Strategy.lastTrigger.action) : null
  if (action !== null) memory.rested = 0
  await $.Storage.set(memory)
  // A run may send one action; this run ends with it. The signal carries the `id`, which here identifies the candle.
  if (action !== null) await $.Strategy.action(action, { id: String(candle.time) })
}

/** The candle in the payload. An error thrown here fails only this run, and the run's record shows it. */
function readCandle(payload) {
  const { time, last } = JSON.parse(payload)
  if (!Number.isFinite(time)) throw new TypeError('"time" must be a number: Unix milliseconds.')
  if (!(Number.isFinite(last) && last > 0)) throw new TypeError('"last" must be a number above zero.')
  return { time, last }
}

/**
 * The indicators at the newest price: `gap` is the fast average minus the slow one, `gapBefore` is the gap one candle
 * earlier. `null` while there are too few prices.
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
 * The next action, or `null` for none.
 *
 * `held` is the strategy's last action, and so its position: LONG, SHORT, or none after EXIT and before the first
 * action. Opening an open position would do nothing, and EXIT after EXIT is a violation that suspends the strategy,
 * so this function returns neither. LONG during a short position closes it and opens a long one.
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
