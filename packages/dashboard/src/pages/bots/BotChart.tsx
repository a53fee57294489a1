import { useNavigate } from '@tanstack/react-router'
import type { SignalBot } from '@tickwright/client'
import { useMemo, useState } from 'react'
import { setOnly } from '../../base/search.ts'
import { serviceNow } from '../../base/service-time.ts'
import { isNamed } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { markOfBotSignal, markOfFill, markOfOrder } from '../../parts/chart/marks.ts'
import type { Level, Point } from '../../parts/chart/model.ts'
import { PriceChart } from '../../parts/chart/PriceChart.tsx'
import { useNewest } from '../../parts/chart/use-records.ts'
import { useRestingOrders } from '../../parts/entry/RestingOrders.tsx'
import { ChoiceFilter } from '../../parts/Filter.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { inKeptOrder, levelsOf, protectiveLevels, restingLevels, symbolsOf } from './chart-model.ts'
import type { BotSearch } from './search.ts'

/** The price of a symbol with what the bot did, and below it equity and drawdown of the bot. */
export function BotChart({ bot, search }: { bot: SignalBot; search: BotSearch }) {
  const {
    data: traded,
    error,
    refetch,
  } = useQuery({
    queryKey: ['fills', 'symbols', bot.id],
    queryFn: async () => {
      const answer = await client.fills.list({ bot_id: bot.id, limit: 200 })
      return (Array.isArray(answer) ? answer : answer.items).map(({ symbol }) => symbol)
    },
  })
  const resting = useRestingOrders(bot.id)
  const [kept, setKept] = useState<readonly string[]>([])
  const navigate = useNavigate()
  const change = (changed: { [Name in keyof BotSearch]?: BotSearch[Name] | undefined }) =>
    void navigate({
      to: '/bots/$id',
      params: { id: String(bot.id) },
      search: setOnly({ ...search, ...changed }) as BotSearch,
      replace: true,
    })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (traded === undefined) return <Skeleton lines={10} />
  const symbols = inKeptOrder(kept, symbolsOf(bot, [...traded, ...resting.map(({ symbol }) => symbol)]))
  if (symbols.join() !== kept.join()) setKept(symbols)
  const symbol = symbols.find((each) => each === search.symbol) ?? symbols[0]
  if (symbol === undefined)
    return (
      <Empty title="No symbol yet">
        The bot trades every symbol that it gets signals for. The first one that it trades has its chart here.
      </Empty>
    )
  return (
    <SymbolChart
      bot={bot}
      symbol={symbol}
      interval={search.interval ?? '15m'}
      onInterval={(interval) => change({ interval })}
      choice={
        symbols.length > 1 && (
          <ChoiceFilter
            label="Symbol"
            all={plainText(symbols[0]!)}
            choices={symbols.slice(1).map((value) => ({ value, text: plainText(value) }))}
            value={symbol === symbols[0] ? undefined : symbol}
            onChange={(symbol) => change({ symbol })}
          />
        )
      }
    />
  )
}

function SymbolChart({
  bot,
  symbol,
  ...rest
}: {
  bot: SignalBot
  symbol: string
} & Pick<Parameters<typeof PriceChart>[0], 'interval' | 'onInterval' | 'choice'>) {
  const { id } = bot
  const marks = useMarks(id, symbol)
  const curves = useCurves(bot)
  const levels = useLevels(bot, symbol)
  return <PriceChart exchangeId={bot.exchange_id} symbol={symbol} {...{ marks, levels, curves }} {...rest} />
}

function useMarks(id: number, symbol: string) {
  const concerns = (kind: 'bot_signal' | 'order' | 'fill') => (event: { kind: string; data: unknown }) =>
    event.kind === kind && (event.data as { bot_id: number }).bot_id === id
  const key = (kind: string) => ['bot', id, symbol, kind]
  const signals = useNewest(
    key('signals'),
    (part) => client.bots.signal.signals(id, { symbol, ...part }),
    concerns('bot_signal'),
  )
  const orders = useNewest(
    key('orders'),
    (part) => client.orders.list({ bot_id: id, symbol, ...part }),
    concerns('order'),
  )
  const fills = useNewest(
    key('fills'),
    (part) => client.fills.list({ bot_id: id, symbol, ...part }),
    concerns('fill'),
  )
  return useMemo(
    () => [
      ...signals.map((signal) => markOfBotSignal(signal)),
      ...orders.map((order) => markOfOrder(order)),
      ...fills.map((fill) => markOfFill(fill)),
    ],
    [signals, orders, fills],
  )
}

/** Equity and balance after each fill, and now. */
function useCurves(bot: SignalBot) {
  const { data } = useQuery({
    queryKey: ['equity', bot.id],
    queryFn: () => client.bots.signal.equity(bot.id),
  })
  const { equity, balance } = bot
  return useMemo(() => {
    if (data === undefined || data.length === 0) return undefined
    const curve = (
      now: string | null,
      read: (point: NonNullable<typeof data>[number]) => string,
    ): Point[] => [
      ...data.map((point) => ({ at: Date.parse(point.at), value: Number(read(point)) })),
      ...(now === null ? [] : [{ at: serviceNow(), value: Number(now) }]),
    ]
    return {
      equity: curve(equity, (point) => point.equity),
      balance: curve(balance, (point) => point.balance),
    }
  }, [data, equity, balance])
}

/** The average price of the open position, its first price if the bot has added to it, its stop, its targets, and openings that rest. */
function useLevels(bot: SignalBot, symbol: string): readonly Level[] {
  const { data: trades } = useQuery({
    queryKey: ['trades', 'open', bot.id, symbol],
    queryFn: async () => (await client.bots.signal.trades(bot.id, { symbol, limit: 1 })).items,
  })
  const position = bot.positions.find((each) => isNamed(each.symbol, symbol))
  const open = trades?.find(({ status }) => status === 'open')
  const first = open?.entries[0]?.order_id ?? null
  const { data: fills } = useQuery({
    queryKey: ['fills', 'order', first],
    queryFn: async () => {
      const answer = await client.fills.list({ order_id: first!, limit: 200 })
      return Array.isArray(answer) ? answer : answer.items
    },
    enabled: first !== null && (open?.entry_count ?? 0) > 1,
  })
  const { side = null, entry_price: average = null, protection = null } = position ?? {}
  const firstPrice = fills?.at(-1)?.price ?? null
  const resting = useRestingOrders(bot.id)
  return useMemo(
    () => [
      ...levelsOf({ side, average, first: firstPrice }),
      ...protectiveLevels(protection),
      ...restingLevels(resting.filter((order) => isNamed(order.symbol, symbol))),
    ],
    [side, average, firstPrice, protection, resting, symbol],
  )
}
