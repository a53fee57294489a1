import assert from 'node:assert/strict'
import { AppError } from '../../packages/server/src/base/errors.ts'
import { readOutsideSignal } from '../../packages/server/src/webhooks/outside-payload.ts'
import { objectTarget } from '../target.ts'

const actions = { LONG: 'BUY', SHORT: 'SELL', EXIT: 'EXIT' }

/** A payload is a signal that can be stored and followed, or it is refused with 400, naming what is wrong. */
export default objectTarget({
  seeds: [
    '{"symbol":"BTCUSDT","side":"BUY"}',
    '{"symbol":" btc/usdt ","side":"exit","size":"1.5e3","dilution":"TRUE","forceSize":false,"id":7,"flag":"reverse","debug":1}',
    '{"slug":"will-it-rain","outcome":"Yes","side":"sell","flag":["TEST","debug"],"size":5e-324}',
    '{"symbol":"{{ticker}}","side":"{{strategy.order.action}}","size":null}',
  ],
  words: [
    '"symbol":',
    '"side":',
    '"size":',
    '"id":',
    '"flag":',
    '"slug":',
    '"outcome":',
    '"debug":',
    '"dilution":',
    '"__proto__":',
    'EXIT',
    'FLAT',
    'null',
    '\\u0000',
    '\\ud800',
    '\\u2028',
    ',',
  ],
  check: (payload) => {
    let signal: ReturnType<typeof readOutsideSignal>
    try {
      signal = readOutsideSignal(payload)
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 400 && error.details!.length > 0, String(error))
      return
    }
    const { action, symbols, options, flags, debug } = signal
    const { size, id, slug, outcome } = options as Record<string, unknown>
    assert.ok(action in actions && symbols.length === (slug === undefined ? 1 : 0))
    for (const name of [...symbols, slug, outcome].filter((one) => one !== undefined)) {
      assert.ok(typeof name === 'string' && name.isWellFormed() && name.trim() === name && name !== '')
      assert.ok(name.length <= 255 && !/\p{Cc}/u.test(name))
    }
    assert.ok(size === undefined || (Number.isFinite(size) && (size as number) > 0))
    assert.ok(id === undefined || (typeof id === 'string' && id.isWellFormed() && !id.includes('\0')))
    // The signal written as a payload again is the same signal.
    const { protection, ...others } = options
    const again = { ...others, ...protection, symbol: symbols[0], side: actions[action], debug }
    const { flags: _flags, ...same } = signal
    const { flags: _none, ...reread } = readOutsideSignal(again)
    assert.deepEqual(reread, same)
    assert.ok(flags.every((flag) => flag === 'TEST' || flag === 'REVERSE' || flag === 'DEBUG'))
  },
})
