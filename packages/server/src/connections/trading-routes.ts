import { type Static, Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { AppError, invalidField } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { TradingState, TradingSwitch } from './trading-switch.ts'

/** So many positions are named. */
export const mostWatched = 100

/** A user's positions that only the service protects: the first ones, and how many there are. */
export type WatchedOf = (
  userId: number,
) => Promise<{ watched: { bot_id: number; symbol: string }[]; watched_total: number }>

const settable = {
  live_trading: Type.Boolean({
    description:
      'Whether live bots may send orders to exchanges. Off until an administrator turns live trading on.',
  }),
  halted: Type.Union([Type.Boolean(), Type.Literal('openings')], {
    description:
      'With `true`, no bot sends or fills orders, not even on paper and not even to close. With `openings`, no bot sends or fills orders that open, but closes go on.',
  }),
}

const Trading = Type.Object({
  ...settable,
  halt: Nullable(
    Type.Object(
      {
        reason: Nullable(Type.String({ description: 'As an administrator gave it; null: nobody did.' })),
        user_id: Nullable(Type.Integer({ description: 'The administrator who has halted trading.' })),
        at: Nullable(Timestamp),
        watched: Type.Optional(
          Type.Array(Type.Object({ bot_id: Type.Integer(), symbol: Type.String() }), {
            description: `Your positions without a stop at the exchange, whose stops and targets only the service watches: while \`halted\` is \`true\`, it does not close them. The first ${mostWatched}. Live streams leave it out.`,
          }),
        ),
        watched_total: Type.Optional(Type.Integer({ description: 'How many there are.' })),
      },
      { description: 'Present while trading is halted.' },
    ),
  ),
})

const ChangeBody = Type.Partial(
  Type.Object({
    ...settable,
    reason: Nullable(
      Type.String({
        maxLength: 255,
        description:
          'Why trading is halted, for every user to read: of the halt that this request begins, or of the one that there is. null or an empty text takes the reason away.',
      }),
    ),
  }),
  {
    // A misspelt switch must not seem to have been set.
    additionalProperties: false,
    minProperties: 1,
    examples: [{ halted: true, reason: 'The exchange reports wrong prices.' }],
  },
)

const common = { tags: ['Trading'], security: signedRequest }

type On = { trading: TradingSwitch; audit: AuditLog; watchedOf: WatchedOf }

/** Routes of the switch for all trading of this installation. */
export function tradingRoutes(trading: TradingSwitch, audit: AuditLog, watchedOf: WatchedOf): Routes {
  const on = { trading, audit, watchedOf }
  return (scope) => {
    readTrading(scope, on)
    setTrading(scope, on)
  }
}

function readTrading(scope: App, { trading, watchedOf }: On): void {
  scope.get(
    '/trading',
    {
      schema: {
        ...common,
        summary: 'Read whether bots of this installation may trade',
        description: 'Every user can read this. It applies to the bots of all users.',
        response: { 200: Trading, ...errorResponses(401, 500, 503) },
      },
    },
    async ({ principal }) => forUser(await trading.read(), principal.userId, watchedOf),
  )
}

function setTrading(scope: App, { trading, audit, watchedOf }: On): void {
  scope.put(
    '/trading',
    {
      schema: {
        ...common,
        summary: 'Turn live trading on or off, or halt all trading at once (administrators)',
        description:
          'Fields that you leave out stay as they are, and so do open orders and positions at exchanges.',
        body: ChangeBody,
        response: { 200: Trading, ...errorResponses(400, 401, 403, 409, 415, 500, 503) },
      },
    },
    async (request) => {
      const { principal, body, log, id } = request
      const { userId } = principal
      if (principal.role !== 'admin') {
        throw new AppError('access_denied', 'Only an administrator may switch trading.')
      }
      if (body.reason !== undefined && body.halted === false) {
        throw invalidField('reason', 'is the reason of a halt, and this request ends it')
      }
      const state = await trading.set(
        given({
          liveTrading: body.live_trading,
          halted: body.halted,
          reason: body.reason === undefined ? undefined : body.reason?.trim() || null,
        }),
        { userId, note: (event) => audit.note(request, event) },
      )
      log.info({ requestId: id, userId, ...state }, 'trading switched by an administrator')
      return forUser(state, userId, watchedOf)
    },
  )
}

/** With a halt of openings, closes go on, and so does what is watched. */
async function forUser(state: TradingState, userId: number, watchedOf: WatchedOf) {
  const shown = presentTrading(state)
  if (shown.halt === null) return shown
  const watched = state.halted === true ? await watchedOf(userId) : { watched: [], watched_total: 0 }
  return { ...shown, halt: { ...shown.halt, ...watched } }
}

/** The switch as the API and live streams show it. */
export function presentTrading({ liveTrading, halted, halt }: TradingState): Static<typeof Trading> {
  return {
    live_trading: liveTrading,
    halted,
    halt: halt && { reason: halt.reason, user_id: halt.userId, at: halt.at?.toISOString() ?? null },
  }
}
