import { Link } from '@tanstack/react-router'
import { eachOf } from '@tickwright/client'
import { count } from '../../base/numbers.ts'
import { useNow } from '../../base/use-now.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { buttonClass } from '../../parts/Button.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Value } from '../../parts/Values.tsx'
import styles from './overview.module.css'
import { equities, startOfDay } from './summary.ts'

/** The equity of a bot is in its own record only. More bots than this would be too many requests for one page. */
const mostBots = 60

async function readBots() {
  const ids: number[] = []
  for await (const { id } of eachOf(client.bots.signal.list)) {
    ids.push(id)
    if (ids.length > mostBots) break
  }
  const shown = ids.slice(0, mostBots)
  const bots = await Promise.all(shown.map((id) => client.bots.signal.get(id)))
  return { bots, hasMore: ids.length > mostBots }
}

/** Equity and today's profit of all bots, one figure for each kind of money. */
export function Equities() {
  const since = startOfDay(useNow(60_000))
  const { data, error, refetch } = useQuery({ queryKey: ['bots', 'equity'], queryFn: readBots })
  const { data: today } = useQuery({
    queryKey: ['stats', 'today', since],
    queryFn: () => client.stats.get({ since }),
  })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={3} />
  if (data.bots.length === 0)
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
        {equities(data.bots).map(({ key, mode, demo, currency, equity, bots, unknown }) => {
          const profit = today?.groups.find(
            (group) => group.mode === mode && Boolean(group.demo) === demo && group.currency === currency,
          )
          return (
            <div key={key} className={styles.figure}>
              <div>
                <Mode mode={mode} demo={demo} /> {count(bots, 'bot')}
              </div>
              <div className={styles.big}>
                <Value value={equity} digits={2} unit={currency} />
              </div>
              <div className={styles.soft}>
                Today <Value value={profit?.realised ?? '0'} digits={2} isResult />
                {unknown > 0 && ` · ${count(unknown, 'bot')} without a known equity`}
              </div>
            </div>
          )
        })}
      </div>
      {data.hasMore && <p className={styles.soft}>Only the first {mostBots} bots are counted here.</p>}
    </Section>
  )
}
