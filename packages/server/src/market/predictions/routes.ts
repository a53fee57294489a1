import { Type } from 'typebox'
import { AppError } from '../../base/errors.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { signedRequest } from '../../http/authentication.ts'
import { errorResponses, Nullable, Timestamp } from '../../http/schemas.ts'
import type { Routes } from '../../http/types.ts'
import { NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import type { PredictionMarkets, PredictionVenue } from './prediction-markets.ts'

const Outcome = Type.Object({
  name: Type.String(),
  token_id: Nullable(
    Type.String({
      description: 'What the exchange calls a share of the outcome; `null` where outcomes have no such name.',
    }),
  ),
  price: Nullable(
    Type.Number({
      description: 'The last known price of a share that pays 1 if the outcome happens: from 0 to 1.',
    }),
  ),
  won: Nullable(Type.Boolean({ description: '`null` until the market is decided.' })),
})

const PredictionMarket = Type.Object({
  exchange_id: Type.Integer({ description: 'Its id in the catalogue.' }),
  exchange: Type.String({ description: 'Its name in the catalogue.' }),
  slug: Type.String({ description: 'The name of the market, as the exchange writes it.' }),
  id: Nullable(
    Type.String({ description: "The exchange's own id of the market, such as its condition id." }),
  ),
  question: Type.String(),
  description: Nullable(
    Type.String({ description: 'What decides the market, in the words of the exchange.' }),
  ),
  status: Type.Enum(['OPEN', 'CLOSED', 'RESOLVED'], {
    description: '`OPEN`: traded now. `CLOSED`: not yet, not now or no longer. `RESOLVED`: decided.',
  }),
  active: Type.Boolean({ description: 'Whether it is traded now.' }),
  closes_at: Nullable({ ...Timestamp, description: 'When trading is to end, if the exchange says so.' }),
  outcomes: Type.Array(Outcome, { description: "In the exchange's order." }),
  volume: Nullable(Type.Number({ description: 'All that was traded, in `volume_unit`.' })),
  volume_unit: Type.String({ description: 'A currency such as `USDC`, or `contracts`.' }),
  url: Nullable(Type.String({ description: "The market's page at the exchange, if its address is known." })),
  read_at: { ...Timestamp, description: 'When the service asked the exchange, at most five seconds ago.' },
})

/** Markets of prediction exchanges. */
export function predictionMarketRoutes(
  catalogue: Pick<Catalogue, 'find' | 'named'>,
  markets: PredictionMarkets,
): Routes {
  return (scope) => {
    scope.get(
      '/market/prediction/:exchange/:slug',
      {
        schema: {
          tags: ['Market'],
          security: signedRequest,
          summary: 'Read a market of a prediction exchange',
          description:
            'The question, its outcomes and their prices, as Polymarket, Limitless and Kalshi tell everyone. It answers 409 with the reason for an exchange that tells only account holders, or whose markets have no slug, and 503 if the exchange does not answer. An account may read two markets a second, and twenty after a pause; what was read in the last five seconds costs nothing.',
          params: Type.Object({
            exchange: Type.String({
              maxLength: 255,
              description:
                'A prediction exchange: its id in the catalogue, or its identifier such as `polymarket`.',
            }),
            slug: Type.String({
              maxLength: 255,
              description:
                "The market's name in the address of its page; at Kalshi, its ticker. Case does not matter.",
            }),
          }),
          response: { 200: PredictionMarket, ...errorResponses(400, 401, 404, 409, 429, 500, 503) },
        },
      },
      ({ principal, params }) => {
        const venue = venueOf(catalogue, params.exchange)
        return markets.read(principal.userId, venue, params.slug).catch(refuse)
      },
    )
  }
}

function venueOf(catalogue: Pick<Catalogue, 'find' | 'named'>, text: string): PredictionVenue {
  const found = /^\d{1,9}$/.test(text)
    ? catalogue.find(Number(text))
    : catalogue.named(text.toLowerCase(), 'prediction')
  if (found?.type === 'PREDICTION') return found
  const id = text.slice(0, 50)
  throw new AppError(
    'resource_not_found',
    `There is no prediction exchange "${id}". GET /api/v2/exchange/prediction lists all.`,
  )
}

function refuse(error: unknown): never {
  if (error instanceof NoSuchMarket) throw new AppError('resource_not_found', error.message, { cause: error })
  if (error instanceof VenueUnreachable) {
    throw new AppError('service_unavailable', error.message, { cause: error, retryAfterSeconds: 2 })
  }
  throw error
}
