import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonNumber } from '../../test/json-numbers.ts'
import { decimal } from '../base/decimals.ts'
import { AppError } from '../base/errors.ts'
import { checkEntry } from './entry-settings.ts'
import { defaultSettings, readSettings } from './settings.ts'

const fields = [
  'amount',
  'max_position',
  'max_daily_loss',
  'start_balance',
  'fee_rate',
  'slippage_rate',
  'spread_rate',
] as const

test('a setting that is any JSON number is valid for calculations or refused by name', () => {
  // The values that the schema of the route accepts.
  const given = jsonNumber.map((text) => JSON.parse(text) as unknown).filter(isTextOrNumber)
  fc.assert(
    fc.property(fc.constantFrom(...fields), given, (field, value) => {
      let text: string | null | undefined
      try {
        text = Object.values(readSettings({ [field]: value }))[0] as string
      } catch (error) {
        assert.ok(error instanceof AppError)
        assert.deepEqual(
          error.details?.map((detail) => detail.field),
          [`body.${field}`],
        )
        return
      }
      const isRate = field.endsWith('_rate')
      const least = isRate || field === 'start_balance' ? '0' : '0.000000000000000001'
      const read = decimal(text)
      assert.ok(read.gte(least) && read.lte(isRate ? '0.5' : '1000000000000000000'), text)
      assert.ok(Number(text) === Number(value), text)
    }),
    { numRuns: 2_000 },
  )
})

test('the error of a refused setting has its bounds and its value', () => {
  assert.throws(
    () => readSettings({ amount: '1000000000000000001' }),
    /body\.amount must be from 1e-18 to 1000000000000000000, got 1000000000000000001\./,
  )
  assert.throws(() => readSettings({ fee_rate: 1 }), /body\.fee_rate must be from 0 to 0\.5, got 1\./)
})

test('a live bot has an entry with a limit only where the service places such orders', () => {
  const { entry = null } = readSettings({ entry: { type: 'limit' } })
  const settings = { ...defaultSettings, entry }
  const mexc = { exchange: 'mexc', service: 'spot', name: 'MEXC' }
  checkEntry({ mode: 'paper', settings }, mexc)
  assert.throws(
    () => checkEntry({ mode: 'live', settings }, mexc),
    /entry must be null for a live bot on MEXC/,
  )
  checkEntry({ mode: 'live', settings: { ...settings, entry: null } }, mexc)
  checkEntry({ mode: 'live', settings }, { ...mexc, exchange: 'binance' })
})

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === 'string' ? value.length <= 64 : typeof value === 'number'
}
