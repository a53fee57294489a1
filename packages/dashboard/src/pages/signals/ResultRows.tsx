import { Link } from '@tanstack/react-router'
import type { BotSignal } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import type { Beside } from '../../parts/beside.ts'
import { Empty } from '../../parts/Notice.tsx'
import { BotSignalLink, botColumn, botSignalColumns } from '../../parts/records/columns.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { matchesBotSignal, type SignalFilters } from './filters.ts'

const columns = [botSignalColumns[0]!, botColumn, ...botSignalColumns.slice(1)]

/** One row for each bot and symbol that got a signal, newest first, as the bots work on them. */
export function ResultRows({
  filters,
  above,
  beside,
}: {
  filters: SignalFilters
  above: number
  beside: Beside | undefined
}) {
  const { status, bot, strategy, webhook, q } = filters
  const wanted = {
    ...(status && { status }),
    ...(bot && { bot_id: bot }),
    ...(strategy && { strategy_id: strategy }),
    ...(webhook && { webhook_id: webhook }),
    ...(q && { q }),
  }
  const query = eventRowsQuery<BotSignal>('bot-signal-rows', wanted, (part) =>
    client.botSignals.list({ ...wanted, ...part }),
  )
  useEventRows('bot_signal', query.queryKey, (result) => matchesBotSignal(result, filters))
  const isFiltered = Object.keys(wanted).length > 0
  return (
    <RecordRows
      label="Results of bots"
      query={query}
      columns={columns}
      above={above}
      link={(result) => <BotSignalLink result={result} beside={beside} />}
      beside={beside}
      empty={
        isFiltered ? (
          <Empty
            title="No result fits these filters"
            action={
              <Link to="/signals" search={{ view: 'bots' }}>
                Show all results
              </Link>
            }
          />
        ) : (
          <Empty title="No bot has got a signal yet" action={<Link to="/bots">To the bots</Link>}>
            A bot gets the signals of its bot webhook while it is active.
          </Empty>
        )
      }
    />
  )
}
