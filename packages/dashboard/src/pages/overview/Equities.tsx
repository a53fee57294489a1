import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartLine, Table2 } from 'lucide-react'
import { useState } from 'react'
import { serviceNow } from '../../base/service-time.ts'
import { client } from '../../data/client.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { useThrottled } from '../../data/use-throttled.ts'
import { Button, buttonClass } from '../../parts/Button.tsx'
import chart from '../../parts/chart/chart.module.css'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { EquityGroup } from './EquityGroup.tsx'
import styles from './overview.module.css'
import { beginningOfCurve, curveRanges, usualRange } from './ranges.ts'
import type { CurveRange } from './search.ts'
import { keyOf, liveFirst } from './summary.ts'

const equityQuery = {
  queryKey: ['equity', 'all'],
  queryFn: () => client.equity.get(),
  // It moves with prices, which no event tells.
  refetchInterval: 10_000,
}

/** As many as a chart of half the page shows, and few enough to draw at once. */
const pointCount = 241

const fallsKey = ['drawdown', 'all'] as const

const fallsQuery = (range: CurveRange) => ({
  queryKey: [...fallsKey, range],
  queryFn: () => client.equity.drawdown({ since: beginningOfCurve(range, serviceNow()), points: pointCount }),
  refetchInterval: 60_000,
})

/** Equity, today's profit and drawdown of all bots, one figure and one curve for each kind of money. */
export function Equities() {
  const { range = usualRange } = useSearch({ from: '/signed-in/overview' })
  const [isTable, setTable] = useState(false)
  const { data, error, refetch } = useQuery(equityQuery)
  const falls = useQuery(fallsQuery(range))
  const queries = useQueryClient()
  // The service looks at every point of the range, so this is not asked with each fill.
  const refresh = useThrottled(() => void queries.invalidateQueries({ queryKey: fallsKey }), 5_000)
  useEvents('fill', refresh)
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={3} />
  if (data.groups.length === 0)
    return (
      <Empty
        title="You have no bots yet"
        action={
          <Link to="/bots/new" className={buttonClass()}>
            Create a bot
          </Link>
        }
      >
        A bot follows the signals of your strategies with orders, on paper or live.
      </Empty>
    )
  return (
    <Section
      title="Equity"
      actions={
        <>
          <Ranges range={range} />
          <Button onClick={() => setTable(!isTable)}>
            {isTable ? <ChartLine aria-hidden /> : <Table2 aria-hidden />}
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </>
      }
    >
      {falls.error !== null && falls.data === undefined && (
        <Failure error={falls.error} onRetry={() => void falls.refetch()} />
      )}
      <div className={styles.figures}>
        {liveFirst(data.groups).map((group) => (
          <EquityGroup key={keyOf(group)} {...{ group, range, isTable }} falls={falls.data} />
        ))}
      </div>
    </Section>
  )
}

/** How much time the curves show. It is part of the address. */
function Ranges({ range }: { range: CurveRange }) {
  const navigate = useNavigate()
  const choose = (value: CurveRange) =>
    void navigate({
      to: '/overview',
      search: value === usualRange ? {} : { range: value },
      replace: true,
    })
  return (
    <fieldset className={chart.group} aria-label="Time that the curves show">
      {curveRanges.map(({ value, text }) => (
        <Button key={value} aria-pressed={value === range} onClick={() => choose(value)}>
          {text}
        </Button>
      ))}
    </fieldset>
  )
}
