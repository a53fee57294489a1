import assert from 'node:assert/strict'
import { AppError } from '../../packages/server/src/base/errors.ts'
import { alertFormats } from '../../packages/server/src/webhooks/formats/format.ts'
import { readPayload, secretFieldOf } from '../../packages/server/src/webhooks/formats/read.ts'
import { objectTarget } from '../target.ts'

const receivedAtMs = Date.parse('2026-01-31T12:00:00Z')

/** An alert of another service is a signal that can be stored and followed, or it is refused with 400 by its fields. */
export default objectTarget({
  seeds: [
    '{"ticker":"BTCUSDT.P","action":"sell","contracts":"0.5","price":"50000","market_position":"flat","market_position_size":"0"}',
    `{"secret":"of-the-webhook","tv_instrument":"BTCUSDT","action":"enter_long","order":{"amount":"10","currency_type":"quote","order_type":"limit","price":"1"},"stop_loss":{"enabled":true,"trigger_price_percent":2},"take_profit":{"steps":[{"price_percent":1,"volume_percent":50}]},"timestamp":"2026-01-31T12:00:00Z","max_lag":"300"}`,
    '{"ticker":"ETHUSD","action":"buy","sentiment":"bullish","quantity":2,"quantityType":"dollar_amount","stopLoss":{"type":"stop","percent":3},"takeProfit":{"percent":5},"time":"2026-01-31T12:00:00Z"}',
    `{"apikey":"of-the-webhook","symbol":"BTCUSDT","action":"SELL","quantity":"1","position_size":"-1","price":0}`,
    '{"type":"entry_fill","pair":"BTC/USDT:USDT","direction":"Short","amount":0.1,"open_rate":50000,"stake_amount":100}',
  ],
  words: [
    ...['"action":', '"market_position":', '"contracts":', '"prev_market_position":', '"strategy_info":{'],
    ...['"order":{', '"amount":', '"currency_type":', '"sentiment":', '"quantityType":', '"position_size":'],
    ...[
      '"timestamp":',
      '"max_lag":',
      '"__proto__":',
      'long',
      'short',
      'flat',
      'exit',
      'null',
      '1e308',
      '5e-324',
    ],
    ...['\\u0000', '\\ud800', ',', '{}', '[]'],
  ],
  check: (payload) => {
    for (const format of alertFormats) {
      // The service takes the secret away before it reads the rest.
      const { [secretFieldOf(format) ?? 'key']: _secret, ...fields } = payload
      let read: ReturnType<typeof readPayload>
      try {
        read = readPayload(format, fields, { receivedAtMs })
      } catch (error) {
        assert.ok(error instanceof AppError && error.status === 400, String((error as Error).stack))
        assert.ok(
          error.details!.length > 0 && error.details!.every(({ field }) => field?.startsWith('body.')),
        )
        continue
      }
      const { signal, ignored } = read
      assert.ok(['LONG', 'SHORT', 'EXIT'].includes(signal.action), format)
      const { size } = signal.options
      assert.ok(size === undefined || (Number.isFinite(size) && size > 0), format)
      for (const symbol of signal.symbols) {
        assert.ok(symbol.isWellFormed() && symbol.trim() === symbol && symbol !== '', format)
        assert.ok(symbol.length <= 255 && !/\p{Cc}/u.test(symbol), format)
      }
      assert.ok(ignored.length <= 20 && ignored.every((name) => name.length <= 64), format)
      // What is stored is JSON, and PostgreSQL holds no NUL.
      JSON.stringify(signal, (_name, value) => {
        assert.ok(typeof value !== 'string' || !value.includes('\0'), format)
        return value
      })
    }
  },
})
