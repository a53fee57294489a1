import { Type } from 'typebox'
import type { AuditLog } from '../../accounts/audit-log.ts'
import { signedRequest } from '../../http/authentication.ts'
import { answerEventsPart } from '../../http/paging.ts'
import {
  EventQuery,
  errorResponses,
  IdParameter,
  Nullable,
  Timestamp,
  withoutNul,
} from '../../http/schemas.ts'
import type { App, Routes } from '../../http/types.ts'
import type { Bots } from '../bots.ts'
import { exactly } from '../shown-figures.ts'
import type { Decision, Reconciliations } from './reconciliations.ts'
import type { Event, Reconciliation } from './store.ts'

const path = '/bot/signal/cex/:id/reconciliation'
const tags = ['Signal bots']

const Size = (description: string) =>
  Type.String({ description: `${description} In base currency; negative for a short.` })

const SymbolRecord = Type.Object({
  symbol: Type.String(),
  status: Type.Enum(['AGREES', 'DIFFERS', 'UNREACHABLE'], {
    description: '`UNREACHABLE`: the service could not read the account, so nothing is decided.',
  }),
  books_size: Size('What the bot holds according to its books.'),
  account_size: Nullable(Size('What the account holds. On spot, that includes the coins of its owner.')),
  ignored_size: Size('The part of the account that you decided to ignore.'),
  open_orders: Nullable(
    Type.Integer({
      description:
        'How many open orders of the symbol the account has that are not of this bot, such as your own. `null`: not read, because the bot holds nothing there and nothing differs.',
    }),
  ),
  reason: Nullable(Type.String({ description: 'What differs, or why the account could not be read.' })),
  differs_since: Nullable(Timestamp),
  checked_at: Timestamp,
})

const EventRecord = Type.Object({
  id: Type.Integer(),
  symbol: Type.String(),
  type: Type.Enum(['BOOKED', 'DIFFERED', 'AGREED', 'ADOPTED', 'IGNORED'], {
    description:
      '`BOOKED`: the books count something that happened without the bot. `DIFFERED`, `AGREED`: a difference began or ended. `ADOPTED`, `IGNORED`: your decision.',
  }),
  text: Type.String(),
  at: Timestamp,
})

const ReconciliationRecord = Type.Object({
  symbols: Type.Array(SymbolRecord, { description: 'The last comparison of each symbol.' }),
  events: Type.Array(EventRecord, { description: 'What was found and done, the newest first.' }),
  events_total: Type.Integer(),
  events_total_is_exact: Type.Optional(
    Type.Literal(false, { description: 'With more than 10,000, which are not counted.' }),
  ),
  events_next: Type.Optional(
    Nullable(
      Type.Integer({
        description:
          'With `before` or `after`: the cursor to go on with, as in lists of events. null: nothing is left.',
      }),
    ),
  ),
})

const SymbolBody = Type.Object(
  {
    symbol: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: withoutNul,
      description: 'Ignores case and separators, as filters of lists do.',
    }),
  },
  { examples: [{ symbol: 'BTC/USDT:USDT' }] },
)

const Accepted = Type.Object({ message: Type.Literal('Success'), note: Type.String() })
const note = 'The bot carries this out at its next reading of the account, usually within seconds.'

export type ReconciliationRoutesParts = {
  bots: Bots
  reconciliations: Reconciliations
  audit: AuditLog
  /** Makes the node that holds the bot compare it now. */
  onDecided(botId: number): void
}

/** How the books of a bot compare with its account. */
export function reconciliationRoutes(parts: ReconciliationRoutesParts): Routes {
  return (scope) => {
    read(scope, parts)
    decide(scope, parts, 'ADOPTED', {
      path: `${path}/adopt`,
      event: 'books_adopted',
      summary: 'Let the books take over the number of the account',
      description:
        'For a difference that no trade explains. The books get one fill of the kind `adopted`, at the entry price of the account, or at the current price. Answers 409 if nothing differs now.',
    })
    decide(scope, parts, 'IGNORED', {
      path: `${path}/ignore`,
      event: 'difference_ignored',
      summary: 'Let the books keep their number',
      description:
        'The difference becomes `ignored_size`: it belongs to you, and the bot leaves it alone. Answers 409 if nothing differs now, and on spot, where a bot cannot sell what the account lacks.',
    })
  }
}

function read(scope: App, { bots, reconciliations }: ReconciliationRoutesParts): void {
  scope.get(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Read how the books of a signal bot compare with its account',
        description:
          'The service compares a live bot with its account every minute. `page` and `limit`, or `before` and `after`, select events. A paper bot has no account, so its lists are empty.',
        params: IdParameter,
        querystring: EventQuery,
        response: { 200: ReconciliationRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { id }, query }) => {
      await bots.checkExists(principal.userId, id)
      const [symbols, events] = await Promise.all([
        reconciliations.list(id),
        answerEventsPart(query, {
          list: (window) => reconciliations.events(id, window),
          count: () => reconciliations.countEvents(id),
        }),
      ])
      return {
        symbols: symbols.map(presentSymbol),
        events: events.items.map(presentEvent),
        events_total: events.total,
        ...(events.total_is_exact === undefined ? {} : { events_total_is_exact: false as const }),
        ...(events.next === undefined ? {} : { events_next: events.next }),
      }
    },
  )
}

type DecisionRoute = {
  path: string
  event: 'books_adopted' | 'difference_ignored'
  summary: string
  description: string
}

function decide(
  scope: App,
  parts: ReconciliationRoutesParts,
  decision: Decision,
  route: DecisionRoute,
): void {
  const { audit, reconciliations, onDecided } = parts
  scope.post(
    route.path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: route.summary,
        description: `${route.description} The bot carries it out in turn with its signals, on a new reading of the account. A repetition changes nothing.`,
        params: IdParameter,
        body: SymbolBody,
        response: { 202: Accepted, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async (request, reply) => {
      const { principal, params, body } = request
      const record = audit.note(request, route.event)
      await reconciliations.decide(principal.userId, params.id, body.symbol, decision, record)
      onDecided(params.id)
      return reply.code(202).send({ message: 'Success' as const, note })
    },
  )
}

function presentSymbol(row: Reconciliation) {
  return {
    symbol: row.symbol,
    status: row.status,
    books_size: exactly(row.booksSize),
    account_size: row.accountSize === null ? null : exactly(row.accountSize),
    ignored_size: exactly(row.ignoredSize),
    open_orders: row.openOrders,
    reason: row.reason,
    differs_since: row.differsSince?.toISOString() ?? null,
    checked_at: row.checkedAt.toISOString(),
  }
}

function presentEvent({ id, symbol, type, text, at }: Event) {
  return { id, symbol, type, text, at: at.toISOString() }
}
