import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { count } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { useThrottled } from '../../data/use-throttled.ts'
import { buttonClass } from '../../parts/Button.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Distance, Value } from '../../parts/Values.tsx'
import styles from './overview.module.css'
import { type Fall, keyOf, liveFirst } from './summary.ts'

const equityQuery = {
  queryKey: ['equity', 'all'],
  queryFn: () => client.equity.get(),
  // It moves with prices, which no event tells.
  refetchInterval: 10_000,
}

const drawdownQuery = {
  queryKey: ['drawdown', 'all'],
  queryFn: () => client.equity.drawdown(),
  refetchInterval: 60_000,
}

/** Equity, today's profit and drawdown of all bots, one figure for each kind of money. */
export function Equities() {
  const { data, error, refetch } = useQuery(equityQuery)
  const { data: drawdowns } = useQuery(drawdownQuery)
  const queries = useQueryClient()
  // The service looks at every point of a month, so this is not asked with each fill.
  const refresh = useThrottled(
    () => void queries.invalidateQueries({ queryKey: drawdownQuery.queryKey }),
    5_000,
  )
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
    <Section title="Equity">
      <div className={styles.figures}>
        {liveFirst(data.groups).map((group) => {
          const { mode, demo, bots, unknown_bots, equity, realised_today } = group
          const fall = drawdowns?.groups.find((other) => keyOf(other) === keyOf(group))
          const unit = plainText(group.currency)
          const digits = moneyDigits(group.currency)
          return (
            <div key={keyOf(group)} className={styles.figure}>
              <div>
                <Mode mode={mode} demo={demo} /> {bots === 0 ? 'traded by hand' : count(bots, 'bot')}
              </div>
              <div className={styles.big}>
                <Value value={equity} digits={digits} unit={unit} />
              </div>
              <div className={styles.soft}>
                Today <Value value={realised_today} digits={digits} isResult />
                {unknown_bots > 0 && ` · ${count(unknown_bots, 'bot')} without a known equity`}
              </div>
              {fall !== undefined && (
                <Falls
                  now={fall.drawdown}
                  largest={fall.max_drawdown}
                  since={drawdowns!.since}
                  digits={digits}
                />
              )}
            </div>
          )
        })}
      </div>
    </Section>
  )
}

/** How far the sum of all equities has fallen from its last peak, and the largest fall of the month. */
function Falls({
  now,
  largest,
  since,
  digits,
}: {
  now: Fall | null
  largest: Fall | null
  since: string
  digits: number
}) {
  if (largest === null) return <div className={styles.soft}>No drawdown in 30 days</div>
  return (
    <>
      <div className={styles.soft}>
        {now === null ? (
          'No drawdown now'
        ) : (
          <>
            Drawdown now <Amount fall={now} digits={digits} />
            {/* Nobody knows whether there was a higher peak before. */}
            {now.peak_at !== since && (
              <>
                , since <Distance at={now.peak_at} />
              </>
            )}
          </>
        )}
      </div>
      <div className={styles.soft}>
        Largest in 30 days <Amount fall={largest} digits={digits} />
      </div>
    </>
  )
}

function Amount({ fall: { amount, percent }, digits }: { fall: Fall; digits: number }) {
  return (
    <>
      <Value value={amount} digits={digits} />
      {percent !== null && (
        <>
          {' '}
          (<Value value={percent} digits={2} unit="%" />)
        </>
      )}
    </>
  )
}
