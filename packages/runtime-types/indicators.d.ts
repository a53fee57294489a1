/** The types of trading-signals, as strategies use it. */

import type * as TradingSignals from 'trading-signals'

/** All that the library exports, its indicators with a more convenient way to feed them. */
export type Indicators = {
  readonly [Name in keyof typeof TradingSignals]: Convenient<(typeof TradingSignals)[Name]>
}

/** A class whose objects are {@link Fed}; anything else as it is. */
type Convenient<Export> = Export extends new (
  ...args: infer Arguments
) => infer Indicator
  ? { new (...args: Arguments): Fed<Indicator> } & { [Static in keyof Export]: Export[Static] }
  : Export

/** The library wants to be told with each value whether it replaces the one before; `update(value)` adds it. */
type Fed<Indicator> = Indicator extends { update(input: infer Input, replace: boolean): infer Result }
  ? Indicator & {
      update(input: Writable<Input>, replace?: boolean): Result
      add(input: Writable<Input>): Result
      replace(input: Writable<Input>): Result
    }
  : Indicator

/**
 * A candle's last price has a name that strategies cannot write, so that they put it together:
 * `{ high, low, ['clo' + 'se']: last }`. Of such an object the compiler knows that its fields are numbers.
 */
type Writable<Input> = Input extends { close: unknown } ? Input | { readonly [name: string]: number } : Input
