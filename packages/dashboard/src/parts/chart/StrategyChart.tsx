import { useMemo, useState } from 'react'
import { isNamed } from '../../base/symbols.ts'
import { client } from '../../data/client.ts'
import type { Interval } from './intervals.ts'
import { markOfSignal } from './marks.ts'
import { PriceChart } from './PriceChart.tsx'
import { useNewest } from './use-records.ts'

/** The price of a symbol with the actions of one strategy on it. */
export function StrategyChart({
  strategyId,
  exchangeId,
  symbol,
}: {
  strategyId: number
  exchangeId: number
  symbol: string
}) {
  const [interval, setInterval] = useState<Interval>('1h')
  const signals = useNewest(
    ['strategy', strategyId],
    (part) => client.signals.list({ strategy_id: strategyId, ...part }),
    (event) => event.kind === 'signal' && event.data.strategy_id === strategyId,
  )
  const marks = useMemo(
    () =>
      signals
        .filter(({ symbols }) => symbols.some((each) => isNamed(each, symbol) || isNamed(symbol, each)))
        .map(markOfSignal),
    [signals, symbol],
  )
  return (
    <PriceChart
      exchangeId={exchangeId}
      symbol={symbol}
      interval={interval}
      onInterval={setInterval}
      marks={marks}
    />
  )
}
