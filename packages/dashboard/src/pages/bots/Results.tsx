import type { ReactNode } from 'react'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { Value } from '../../parts/Values.tsx'

/** What came of all trades of a bot. */
export function Results({ botId }: { botId: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['stats', 'bot', botId],
    queryFn: () => client.bots.signal.stats(botId),
  })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const { trades, max_drawdown: drawdown, currency, days } = data
  const money = (value: string | null, isResult = false) => (
    <Value value={value} digits={2} isResult={isResult} {...(currency === null ? {} : { unit: currency })} />
  )
  const percent = (value: string | null): ReactNode => <Value value={value} digits={2} unit="%" />
  return (
    <>
      <Facts
        facts={[
          ['Realised', money(data.realised, true)],
          ['Fees', money(data.fees)],
          ['Funding', money(data.funding, true)],
          ['Return', percent(data.return_percent)],
          ['Largest drawdown', drawdown === null ? '–' : money(drawdown.amount)],
          ['of its peak', percent(drawdown?.percent ?? null)],
          ['In the market', percent(data.exposure_percent)],
        ]}
      />
      <Section title="Closed trades">
        <Facts
          facts={[
            ['Closed', trades.closed],
            ['Won', trades.won],
            ['Lost', trades.lost],
            ['Win rate', percent(trades.win_rate_percent)],
            ['Profit factor', <Value key="factor" value={trades.profit_factor} digits={2} />],
            ['Expectancy', money(trades.expectancy, true)],
            ['Largest win', money(trades.largest_win, true)],
            ['Largest loss', money(trades.largest_loss, true)],
            ['Longest losing streak', trades.longest_losing_streak],
          ]}
        />
      </Section>
      {days.length > 0 && (
        <Section title="By day (UTC)">
          <Table
            label="By day"
            items={days.toReversed().slice(0, 60)}
            idOf={({ day }) => day}
            columns={[
              { name: 'Day', cell: ({ day }) => day },
              { name: 'Realised', isNumber: true, cell: ({ realised }) => money(realised, true) },
              { name: 'Fees', isNumber: true, cell: ({ fees }) => money(fees) },
            ]}
          />
        </Section>
      )}
    </>
  )
}
