import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Signal } from '@tickwright/client'
import { plainText } from '../../base/text.ts'
import { botNamesQuery, useBotWebhookNames } from '../../data/bot-names.ts'
import { changeRows } from '../../data/change-rows.ts'
import { client } from '../../data/client.ts'
import { changeRow, type EventRows, eventRowsQuery } from '../../data/event-rows.ts'
import { useStrategyNames } from '../../data/names.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Beside } from '../../parts/beside.ts'
import type { PageOf } from '../../parts/Detail.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Empty } from '../../parts/Notice.tsx'
import { type Column, RowLink } from '../../parts/Rows.tsx'
import { timeWidth } from '../../parts/records/columns.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { Became } from './Became.tsx'
import { matchesSignal, type SignalFilters } from './filters.ts'
import { senderText, withResult } from './words.ts'

function columnsWith(
  nameOf: (id: number) => string,
  webhookOf: (id: number) => string,
): readonly Column<Signal>[] {
  return [
    { name: 'Action', width: 'minmax(60px, 80px)', cell: ({ action }) => <Action action={action} /> },
    {
      name: 'Symbols',
      width: 'minmax(76px, 1fr)',
      cell: ({ symbols, options }) => <Foreign text={symbols.join(', ') || (options.slug ?? '–')} />,
    },
    {
      name: 'From',
      width: 'minmax(120px, 1.6fr)',
      isWide: true,
      isSecond: true,
      cell: (signal) => <Foreign text={senderText(signal, nameOf)} />,
    },
    {
      name: 'To',
      width: 'minmax(96px, 1fr)',
      isWide: true,
      cell: ({ webhook_id }) =>
        webhook_id === null ? 'no webhook' : <Foreign text={webhookOf(webhook_id)} />,
    },
    {
      name: 'Outcome',
      width: 'minmax(76px, 2fr)',
      isSecond: true,
      cell: (signal) => <Became signal={signal} />,
    },
    { name: 'Sent', width: timeWidth, isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}

/** The page of a signal. */
export function pageOf(id: number): PageOf {
  return { to: '/signals/$id', params: { id: String(id) } }
}

/** One row for each signal, newest first, with what became of it as that happens. */
export function SignalRows({
  filters,
  above,
  beside,
}: {
  filters: SignalFilters
  above: number
  beside: Beside | undefined
}) {
  const queries = useQueryClient()
  const nameOf = useStrategyNames()
  const webhookOf = useBotWebhookNames()
  const { data: bots } = useQuery(botNamesQuery)
  const { action, strategy, webhook } = filters
  const wanted = {
    ...(action && { action }),
    ...(strategy && { strategy_id: strategy }),
    ...(webhook && { webhook_id: webhook }),
  }
  const query = eventRowsQuery<Signal>('signal-rows', wanted, (part) =>
    client.signals.list({ ...wanted, ...part }),
  )
  useEventRows('signal', query.queryKey, (signal) => matchesSignal(signal, filters))
  useEvents('bot_signal', (result) => {
    const name = bots?.get(result.bot_id)?.name ?? `Bot ${result.bot_id}`
    changeRows<EventRows<Signal>>(queries, query.queryKey, (rows) =>
      changeRow(rows, result.signal_id, (signal) => withResult(signal, result, name)),
    )
  })
  return (
    <RecordRows
      label="Signals"
      query={query}
      columns={columnsWith(nameOf, webhookOf)}
      above={above}
      link={({ id, action, symbols }) => (
        <RowLink
          id={id}
          label={plainText(`Signal ${id}: ${action} ${symbols.join(', ')}`)}
          page={pageOf(id)}
          beside={beside}
        />
      )}
      beside={beside}
      empty={<NoSignals isFiltered={Object.keys(wanted).length > 0} />}
    />
  )
}

function NoSignals({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No signal fits these filters" action={<Link to="/signals">Show all signals</Link>}>
        Signals are kept forever, so there has been none.
      </Empty>
    )
  return (
    <Empty title="No signals yet" action={<Link to="/webhooks">To the bot webhooks</Link>}>
      A strategy sends a signal with $.Strategy.action, and others post them to a bot webhook.
    </Empty>
  )
}
