import type { AlertFormat, SignalOptions } from '../../db/schema.ts'
import type { OutsideSignal } from '../outside-payload.ts'
import type { PayloadReader } from '../payload-reader.ts'

export type { AlertFormat }

export const alertFormats = [
  'tickwright',
  'tradingview',
  '3commas',
  'traderspost',
  'openalgo',
  'freqtrade',
] as const satisfies readonly AlertFormat[]

/** What a payload asks for. A part that is wrong is `undefined`: then the reader knows why. */
export type Alert = {
  symbol: string | undefined
  order: AlertOrder | undefined
  /** The sender's own name for the signal. */
  id?: string | undefined
  protection?: SignalOptions['protection'] | undefined
  entry?: SignalOptions['entry']
  timing: Timing
}

export type AlertOrder = {
  action: OutsideSignal['action']
  options: Pick<SignalOptions, 'size' | 'sizeUnit' | 'dilution' | 'forceSize' | 'closes'>
}

/** When the alert was made, in Unix milliseconds, if the payload says so. It is at most as old as `maxLagSeconds`. */
export type Timing = { madeAtMs: number | undefined }

/** How the payloads of a service become signals. */
export type Format = {
  /** The field with the secret of that service. It counts as the webhook's password and is never stored. */
  secret?: string
  /** @param receivedAtMs when the post arrived */
  read(payload: PayloadReader, receivedAtMs: number): Alert
}
