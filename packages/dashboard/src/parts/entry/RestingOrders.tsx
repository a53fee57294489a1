import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tickwright/client'
import { count } from '../../base/numbers.ts'
import { useNow } from '../../base/use-now.ts'
import { botExchangesQuery, exchangeText } from '../../data/accounts.ts'
import type { BotName } from '../../data/bot-names.ts'
import { client } from '../../data/client.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { useThrottled } from '../../data/use-throttled.ts'
import { BotLink } from '../BotLink.tsx'
import { Notice } from '../Notice.tsx'
import styles from '../protection/protection.module.css'
import { isInScope, type RecordScope } from '../records/scope.ts'
import { type Resting, restingWords } from './resting.ts'

/** Parts are filled in bursts. */
const refreshMs = 1_000
/** More than this hide what stands below them. */
const mostShown = 5
/** Always the same, so that what follows from it is not computed again. */
const none: readonly (Order & Resting)[] = []

type Bots = ReadonlyMap<number, Pick<BotName, 'id' | 'mode' | 'demo' | 'exchange_id'>>

/** The openings that rest at their limit, the newest first, as they are filled and end. */
export function useRestingOrders(bot?: number): readonly (Order & Resting)[] {
  const queries = useQueryClient()
  const queryKey = ['orders', 'resting', bot]
  const { data } = useQuery({
    queryKey,
    queryFn: async () => {
      const of = bot === undefined ? {} : { bot_id: bot }
      const answer = await client.orders.list({ ...of, status: 'OPEN', limit: 200 })
      const orders = Array.isArray(answer) ? answer : answer.items
      return orders.filter((order): order is Order & Resting => order.rests !== null)
    },
    // The settings of its bot apply to an order that rests, too.
    refetchInterval: 10_000,
  })
  const refresh = useThrottled(() => void queries.invalidateQueries({ queryKey }), refreshMs)
  useEvents('order', (order) => {
    if (order.purpose === 'open' && (bot === undefined || order.bot_id === bot)) refresh()
  })
  return data ?? none
}

/** The openings that rest, each in words; nothing if there are none. */
export function RestingOrders({
  scope,
  bots,
  isOfMany = false,
}: {
  scope: RecordScope
  bots: Bots
  /** Whether each names its bot. */
  isOfMany?: boolean
}) {
  const orders = useRestingOrders(scope.bot).filter((order) => isInScope(order, scope, bots))
  const placeOf = usePlaces(
    bots,
    orders.some(({ bot_id }) => bots.get(bot_id)?.mode === 'live'),
  )
  const now = useNow(1_000)
  if (orders.length === 0) return null
  return (
    <Notice>
      <ul className={styles.words}>
        {orders.slice(0, mostShown).map((order) => (
          <li key={order.id}>
            {isOfMany && (
              <>
                <BotLink id={order.bot_id} />:{' '}
              </>
            )}
            {restingWords(order, placeOf(order.bot_id), now)}
          </li>
        ))}
      </ul>
      {orders.length > mostShown && <p>{count(orders.length - mostShown, 'more order')} rest.</p>}
    </Notice>
  )
}

function usePlaces(bots: Bots, isNeeded: boolean): (bot: number) => string {
  const { data: exchanges } = useQuery({ ...botExchangesQuery, enabled: isNeeded })
  return (id) => {
    const bot = bots.get(id)
    if (bot?.mode === 'paper') return 'on paper'
    const exchange = exchanges?.find((one) => one.id === bot?.exchange_id)
    return exchange === undefined ? 'at the exchange' : `at ${exchangeText(exchange)}`
  }
}
