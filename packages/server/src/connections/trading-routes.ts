import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { TradingState, TradingSwitch } from './trading-switch.ts'

const fields = {
  live_trading: Type.Boolean({
    description: 'Whether live bots may send orders to exchanges. Off until an administrator turns it on.',
  }),
  halted: Type.Boolean({ description: 'While on, no bot sends or fills any order, on paper neither.' }),
}

const Trading = Type.Object(fields)

const common = { tags: ['Trading'], security: signedRequest }

/** The switch for all trading of this installation. */
export function tradingRoutes(trading: TradingSwitch): Routes {
  return (scope) => {
    scope.get(
      '/trading',
      {
        schema: {
          ...common,
          summary: 'Whether bots of this installation may trade',
          response: { 200: Trading, ...errorResponses(401, 500, 503) },
        },
      },
      async () => present(await trading.read()),
    )

    scope.put(
      '/trading',
      {
        schema: {
          ...common,
          summary: 'Turn live trading on or off, or halt all trading at once (administrators)',
          description:
            'What is left out stays. Open orders and positions at exchanges stay as they are, too.',
          // A switch that was misspelt must not seem to have been set.
          body: Type.Partial(Trading, { additionalProperties: false, minProperties: 1 }),
          response: { 200: Trading, ...errorResponses(400, 401, 403, 415, 500, 503) },
        },
      },
      async ({ principal, body, log, id }) => {
        if (principal.role !== 'admin') {
          throw new AppError('access_denied', 'Only an administrator may switch trading.')
        }
        const state = await trading.set({
          ...(body.live_trading === undefined ? {} : { liveTrading: body.live_trading }),
          ...(body.halted === undefined ? {} : { halted: body.halted }),
        })
        log.info(
          { requestId: id, userId: principal.userId, ...state },
          'trading switched by an administrator',
        )
        return present(state)
      },
    )
  }
}

function present({ liveTrading, halted }: TradingState) {
  return { live_trading: liveTrading, halted }
}
