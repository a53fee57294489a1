import {
  ChartCandlestick,
  ChevronLeft,
  ChevronRight,
  ChevronsRight,
  Table2,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { count, formatNumber } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { Button } from '../Button.tsx'
import { Empty, Failure, Skeleton } from '../Notice.tsx'
import { CandleTable } from './CandleTable.tsx'
import { Chart } from './Chart.tsx'
import styles from './chart.module.css'
import type { ChartView, Curves } from './draw.ts'
import type { JoinedCandle } from './join.ts'
import { Legend } from './Legend.tsx'
import { type Candle, digitsOf, type Level, type Mark } from './model.ts'

/** Candles as they are read part by part, oldest first. */
export type CandleHistory = {
  candles: readonly Candle[]
  isPending: boolean
  /** Why nothing is shown. */
  error: unknown
  /** Why there are no older candles, such as that an exchange keeps only its latest. */
  endReason: Error | null
  isLoadingOlder: boolean
  readOlder: () => void
  retry: () => void
}

export type MarkedChartProps<Interval extends string> = {
  symbol: string
  /** The duration of a candle; `null` if it is not known, or has no name. */
  interval: Interval | null
  intervals: readonly Interval[]
  onInterval: (interval: Interval) => void
  history: CandleHistory
  /** Another market is another chart: nothing of the former one may stay in view. */
  market: string
  /** What happened. It must be the same array until something changes, as must `levels` and `curves`. */
  marks: readonly Mark[]
  levels?: readonly Level[]
  curves?: Curves | undefined
  /** Whether it begins with all candles in view, and not with the latest. */
  isWhole?: boolean
  /** A choice of what the chart is of. */
  choice?: ReactNode
  /** Why there may be no candles. */
  none: string
}

const kinds = [
  { kind: 'signal', name: '● Signals' },
  { kind: 'order', name: '■ Orders' },
  { kind: 'fill', name: '▲ Fills' },
] as const

const noLevels: readonly Level[] = []

/** Candles with what happened, as a chart and as a table that says the same. */
export function MarkedChart<Interval extends string>({
  interval,
  intervals,
  onInterval,
  market,
  marks,
  choice,
  ...rest
}: MarkedChartProps<Interval>) {
  const [isTable, setTable] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<Mark['kind']>>(new Set())
  const view = useRef<ChartView>(null)
  const shown = useMemo(() => marks.filter(({ kind }) => !hidden.has(kind)), [marks, hidden])
  const toggle = (kind: Mark['kind']) => {
    const next = new Set(hidden)
    if (!next.delete(kind)) next.add(kind)
    setHidden(next)
  }
  const present = kinds.filter(({ kind }) => marks.some((mark) => mark.kind === kind))
  return (
    <>
      <div className={styles.bar}>
        {choice}
        {intervals.length > 0 && (
          <fieldset className={styles.group} aria-label="Duration of a candle">
            {intervals.map((each) => (
              <Button key={each} aria-pressed={each === interval} onClick={() => onInterval(each)}>
                {each}
              </Button>
            ))}
          </fieldset>
        )}
        {present.length > 0 && (
          <fieldset className={styles.group} aria-label="What to show">
            {present.map(({ kind, name }) => (
              <Button key={kind} aria-pressed={!hidden.has(kind)} onClick={() => toggle(kind)}>
                {name}
              </Button>
            ))}
          </fieldset>
        )}
        <div className={styles.end}>
          {!isTable && <Moves view={view} />}
          <Button onClick={() => setTable(!isTable)}>
            {isTable ? <ChartCandlestick aria-hidden /> : <Table2 aria-hidden />}
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </div>
      </div>
      <Drawn key={market} marks={shown} {...{ interval, isTable, view }} {...rest} />
    </>
  )
}

/** The candles of one market and duration. */
function Drawn({
  symbol,
  interval,
  history,
  marks,
  levels = noLevels,
  curves,
  isWhole = false,
  none,
  isTable,
  view,
}: Pick<
  MarkedChartProps<string>,
  'symbol' | 'interval' | 'history' | 'marks' | 'levels' | 'curves' | 'isWhole' | 'none'
> & {
  isTable: boolean
  view: RefObject<ChartView | null>
}) {
  const { candles, isPending, error, endReason, isLoadingOlder, readOlder, retry } = history
  const [pointed, setPointed] = useState<JoinedCandle | null>(null)
  const [joined, setJoined] = useState(1)
  if (error !== null) return <Failure error={error} onRetry={retry} />
  if (isPending) return <Skeleton lines={10} />
  if (candles.length === 0) return <Empty title="There are no candles">{none}</Empty>
  return (
    <>
      {isTable ? (
        <CandleTable {...{ candles, marks, curves, onStart: readOlder }} />
      ) : (
        <>
          <Legend {...{ candles, marks, pointed }} />
          <Chart
            label={labelOf({ symbol, interval, joined }, candles, marks)}
            {...{ candles, marks, levels, curves, isWhole, view }}
            // Candles of a day and longer belong to days of UTC.
            isDaily={interval !== null && /[dwM]$/.test(interval)}
            onStart={readOlder}
            onPoint={setPointed}
            onJoin={setJoined}
          />
        </>
      )}
      {isLoadingOlder && <p className={styles.soft}>Reading older candles …</p>}
      {endReason !== null && <p className={styles.soft}>No older candles: {plainText(endReason.message)}</p>}
    </>
  )
}

function labelOf(
  { symbol, interval, joined }: { symbol: string; interval: string | null; joined: number },
  candles: readonly Candle[],
  marks: readonly Mark[],
): string {
  const price = formatNumber(candles.at(-1)!.last, { digits: digitsOf(candles) })
  const parts = kinds.flatMap(({ kind }) => {
    const number = marks.filter((mark) => mark.kind === kind).length
    return number === 0 ? [] : [count(number, kind)]
  })
  const each = interval === null ? '' : ` of ${interval}`
  const drawn = joined === 1 ? '' : `, ${formatNumber(joined)} drawn as one`
  const what = parts.length === 0 ? '' : ` ${parts.join(', ')}.`
  return plainText(
    `Chart of ${symbol}: ${count(candles.length, 'candle')}${each}${drawn}, the last price is ${price}.${what} “Show as table” ${joined === 1 ? 'says the same' : 'lists each of them'}.`,
  )
}

/** What a mouse does by dragging and with its wheel. */
function Moves({ view }: { view: { current: ChartView | null } }) {
  const moves = [
    ['Earlier', ChevronLeft, (chart: ChartView) => chart.move(-0.5)],
    ['Later', ChevronRight, (chart: ChartView) => chart.move(0.5)],
    ['Latest', ChevronsRight, (chart: ChartView) => chart.showLatest()],
    ['Zoom in', ZoomIn, (chart: ChartView) => chart.zoom(0.6)],
    ['Zoom out', ZoomOut, (chart: ChartView) => chart.zoom(1.6)],
  ] as const
  return (
    <fieldset className={`${styles.group} ${styles.moves}`} aria-label="Move the chart">
      {moves.map(([name, Icon, act]) => (
        <Button
          key={name}
          isSquare
          aria-label={name}
          title={name}
          onClick={() => view.current !== null && act(view.current)}
        >
          <Icon aria-hidden />
        </Button>
      ))}
    </fieldset>
  )
}
