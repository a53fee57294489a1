/** Random settings, markets and signals, chosen so that every rule of the books applies often. */
import fc from 'fast-check'
import type { OracleMarket, OracleSettings, OracleSignal } from './oracle.ts'
import { bases, type Sent } from './stage.ts'

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

export const settingsOf: fc.Arbitrary<OracleSettings> = fc.record({
  amount: fc.constantFrom('100', '37.77', '5', '4.99', '2500', '0.07', '0.000000000000000001'),
  amountUnit: fc.constantFrom('quote', 'quote', 'base'),
  sizeUnit: fc.constantFrom(null, null, 'quote', 'base'),
  strictAmount: fc.boolean(),
  feeRate: fc.constantFrom('0', '0.001', '0.000333333333333333', '0.5'),
  slippageRate: fc.constantFrom('0', '0.0005', '0.123456789', '0.5'),
  startBalance: fc.constantFrom('10000', '400', '99.95', '0'),
  maxPosition: maybe(fc.constantFrom('100', '150.5', '5000')),
  maxDailyLoss: maybe(fc.constantFrom('0.5', '25', '1000')),
  cooldownSeconds: maybe(fc.constantFrom(0, 60, 61, 3600)),
  maxSignalAgeSeconds: maybe(fc.constantFrom(1, 60, 3600)),
})

export const marketOf: fc.Arbitrary<OracleMarket> = fc.record({
  service: fc.constantFrom('spot', 'futures'),
  sizeStep: fc.constantFrom('0.001', '0.00000001', '0.03', '1'),
  minSize: fc.constantFrom('0.001', '0', '0.07'),
  minNotional: fc.constantFrom('5', '0', '0.0001'),
})

export const optionsOf: fc.Arbitrary<OracleSignal['options']> = fc.record(
  {
    size: fc.constantFrom(1, 0.5, 0.04, 5, 4.99, 50, 0.0004, 133.337, 1_000_000),
    dilution: fc.boolean(),
    forceSize: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
)

export const actionOf = fc.constantFrom<OracleSignal['action']>('LONG', 'LONG', 'SHORT', 'SHORT', 'EXIT')

/** Settings without limits. */
export const free: OracleSettings = {
  amount: '250',
  strictAmount: false,
  feeRate: '0.001',
  slippageRate: '0.0005',
  startBalance: '100000',
  maxPosition: null,
  maxDailyLoss: null,
  cooldownSeconds: null,
  maxSignalAgeSeconds: null,
}

const flagOf = fc.constantFrom(undefined, undefined, undefined, 'TEST' as const, 'REVERSE' as const)
/** The payload of a signal from outside. */
export const signalOf = fc.record({
  base: fc.constantFrom(...bases),
  spelling: fc.constantFrom('USDT', '/USDT', '-usdt'),
  action: actionOf,
  options: optionsOf,
  flag: flagOf,
})
export type SignalPayload = typeof signalOf extends fc.Arbitrary<infer T> ? T : never

export function bodyOf({ base, spelling, action, options, flag }: SignalPayload): object {
  return { symbol: base + spelling, side: action, ...options, ...(flag && { flag }) }
}

const turned = { LONG: 'SHORT', SHORT: 'LONG', EXIT: 'EXIT' } as const

/** The signal that a bot must follow for a payload. */
export function meantBy({ base, action, options, flag }: SignalPayload): Omit<Sent, 'id'> {
  return { base, action: flag === 'REVERSE' ? turned[action] : action, options }
}
