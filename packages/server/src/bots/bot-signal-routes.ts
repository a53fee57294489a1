import { type Static, Type } from 'typebox'
import { given } from '../base/given.ts'
import type { Found, Window } from '../base/window.ts'
import { runTriggers } from '../db/schema.ts'
import { searchRoute } from '../http/crud.ts'
import { readSpan } from '../http/moments.ts'
import { Id, SearchQuery, SoughtText } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { BotSignalStatus } from '../signals/schemas.ts'
import { BotSignalRecord, presentBotSignal } from './bot-signal-record-routes.ts'
import type { BotSignalSearch } from './bot-signal-search.ts'
import type { BotSignal } from './records.ts'

const Query = Type.Object({
  ...SearchQuery.properties,
  status: Type.Optional(BotSignalStatus),
  bot_id: Type.Optional(Id),
  strategy_id: Type.Optional({ ...Id, description: 'Only signals of this strategy of yours.' }),
  webhook_id: Type.Optional({ ...Id, description: 'Only signals of this bot webhook.' }),
  trigger: Type.Optional(
    Type.Enum([...runTriggers], {
      description: 'Only signals of runs of yours that this triggered.',
    }),
  ),
  q: Type.Optional(SoughtText('the symbol or the reason')),
})

/** @param find the service, without its database */
export function botSignalRoutes(
  find: (userId: number, search: BotSignalSearch, window: Window) => Promise<Found<BotSignal>>,
): Routes {
  return (scope) =>
    searchRoute(scope, '/bot-signal', {
      tags: ['Signal bots'],
      summary: 'List what your bots did with their signals, newest first',
      description:
        'Filters that no index answers look at the newest 5,000 signals of the range at most, `strategy_id`, `webhook_id` and `trigger` at 2,000, and `q` at 800.',
      item: BotSignalRecord,
      query: Query,
      find: async (userId, window, query) => {
        const { items, ...found } = await find(userId, searchOf(query), window)
        return { items: items.map(presentBotSignal), ...found }
      },
    })
}

function searchOf(query: Static<typeof Query>): BotSignalSearch {
  const { bot_id: botId, strategy_id: strategyId, webhook_id: webhookId, status, trigger, q: text } = query
  return { ...given({ status, botId, strategyId, webhookId, trigger, text }), ...readSpan(query) }
}
