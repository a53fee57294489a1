import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { TradingState, TradingSwitch } from './trading-switch.ts'

const Trading = Type.Object({
  live_trading: Type.Boolean({
    description:
      'Whether live bots may send orders to exchanges. Off until an administrator turns live trading on.',
  }),
  halted: Type.Boolean({ description: 'While this is on, no bot sends or fills orders, not even on paper.' }),
})

const ChangeBody = Type.Partial(Trading, {
  // A misspelt switch must not seem to have been set.
  additionalProperties: false,
  minProperties: 1,
  examples: [{ halted: true }],
})

const common = { tags: ['Trading'], security: signedRequest }

/** Routes of the switch for all trading of this installation. */
export function tradingRoutes(trading: TradingSwitch): Routes {
  return (scope) => {
    readTrading(scope, trading)
    setTrading(scope, trading)
  }
}

function readTrading(scope: App, trading: TradingSwitch): void {
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
    async () => presentTrading(await trading.read()),
  )
}

function setTrading(scope: App, trading: TradingSwitch): void {
  scope.put(
    '/trading',
    {
      schema: {
        ...common,
        summary: 'Turn live trading on or off, or halt all trading at once (administrators)',
        description:
          'Fields that you leave out stay as they are, and so do open orders and positions at exchanges.',
        body: ChangeBody,
        response: { 200: Trading, ...errorResponses(400, 401, 403, 415, 500, 503) },
      },
    },
    async ({ principal, body, log, id }) => {
      if (principal.role !== 'admin') {
        throw new AppError('access_denied', 'Only an administrator may switch trading.')
      }
      const state = await trading.set(given({ liveTrading: body.live_trading, halted: body.halted }))
      log.info({ requestId: id, userId: principal.userId, ...state }, 'trading switched by an administrator')
      return presentTrading(state)
    },
  )
}

/** The switch as the API and live streams show it. */
export function presentTrading({ liveTrading, halted }: TradingState) {
  return { live_trading: liveTrading, halted }
}
