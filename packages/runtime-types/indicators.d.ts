/** The types of trading-signals for strategies. */

import type * as TradingSignals from 'trading-signals'

/** Everything that the library exports. Indicators get a more convenient `update`. */
export type Indicators = {
  readonly [Name in keyof typeof TradingSignals]: Convenient<(typeof TradingSignals)[Name]>
}

/** A class whose objects are {@link Fed}; anything else is unchanged. */
type Convenient<Export> = Export extends new (
  ...args: infer Arguments
) => infer Indicator
  ? { new (...args: Arguments): Fed<Indicator> } & { [Static in keyof Export]: Export[Static] }
  : Export

/** In the library, each call of `update` says whether the value replaces the previous one. Here, `update(value)` adds it. */
type Fed<Indicator> = Indicator extends { update(input: infer Input, replace: boolean): infer Result }
  ? Indicator & {
      update(input: Writable<Input>, replace?: boolean): Result
      add(input: Writable<Input>): Result
      replace(input: Writable<Input>): Result
    }
  : Indicator

/**
 * Strategies cannot write the name of a candle's last price, so they join it from two parts:
 * `{ high, low, ['clo' + 'se']: last }`. The compiler knows only that the fields of such an object are numbers.
 */
type Writable<Input> = Input extends { close: unknown } ? Input | { readonly [name: string]: number } : Input
