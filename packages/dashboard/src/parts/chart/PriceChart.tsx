import type { ReactNode } from 'react'
import type { Curves } from './draw.ts'
import { type Interval, intervals } from './intervals.ts'
import { MarkedChart } from './MarkedChart.tsx'
import type { Level, Mark } from './model.ts'
import { useCandles } from './use-candles.ts'

export type PriceChartProps = {
  exchangeId: number
  symbol: string
  interval: Interval
  onInterval: (interval: Interval) => void
  /** What happened. It must be the same array until something changes, as must `levels` and `curves`. */
  marks: readonly Mark[]
  levels?: readonly Level[]
  curves?: Curves | undefined
  /** A choice of what the chart is of. */
  choice?: ReactNode
}

/** The candles of a symbol of an exchange with what happened. */
export function PriceChart({ exchangeId, symbol, interval, ...rest }: PriceChartProps) {
  const history = useCandles({ exchangeId, symbol, interval })
  return (
    <MarkedChart
      market={`${exchangeId} ${symbol} ${interval}`}
      none="The exchange has none of this symbol and duration."
      {...{ symbol, interval, intervals, history }}
      {...rest}
    />
  )
}
