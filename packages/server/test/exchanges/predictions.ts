/**
 * Prediction exchanges on one address: Polymarket's Gamma API (docs.polymarket.com), the API of Limitless
 * (docs.limitless.exchange) and that of Kalshi (docs.kalshi.com), with the fields that they document.
 */
import { type Reply, type RestCall, type StandIn, startStandIn } from './stand-in.ts'

const rain = {
  id: '604489',
  question: 'Will it rain in Paris on May 1?',
  conditionId: `0x${'3d'.repeat(32)}`,
  slug: 'will-it-rain',
  endDate: '2027-05-01T12:00:00Z',
  description: 'This market resolves to "Yes" if it rains.',
  outcomes: '["Yes", "No"]',
  outcomePrices: '["0.0455", "0.9545"]',
  volume: '549414.493468',
  active: true,
  closed: false,
  clobTokenIds: '["7132", "5267"]',
  acceptingOrders: true,
}

/** What each exchange has, by slug or ticker. */
export const polymarket: Record<string, object> = {
  'will-it-rain': rain,
  'did-it-rain': {
    ...{ ...rain, slug: 'did-it-rain', closed: true, outcomePrices: '["1", "0"]' },
    umaResolutionStatus: 'resolved',
  },
  'who-objects': { ...rain, slug: 'who-objects', closed: true, umaResolutionStatus: 'disputed' },
}

export const limitless: Record<string, object> = {
  'out-before-2027': {
    conditionId: `0x${'11'.repeat(32)}`,
    description: '<p>It resolves to “Yes” if …</p>',
    collateralToken: { address: `0x${'83'.repeat(20)}`, decimals: 6, symbol: 'USDC' },
    title: 'Out before 2027?',
    expirationTimestamp: 1_798_779_540_000,
    status: 'FUNDED',
    expired: false,
    volumeFormatted: '290.091252',
    tokens: { yes: '5615', no: '3257' },
    prices: [0.164, 0.836],
    slug: 'out-before-2027',
    winningOutcomeIndex: null,
  },
  'which-month': { slug: 'which-month', title: 'Which month?', markets: [{ slug: 'may' }, { slug: 'june' }] },
}

export const kalshi: Record<string, object> = {
  'KXBALANCE-29': {
    ticker: 'KXBALANCE-29',
    title: 'Will the budget be balanced?',
    rules_primary: 'If there is no deficit, then the market resolves to Yes.',
    status: 'active',
    result: '',
    close_time: '2029-07-01T14:00:00Z',
    last_price_dollars: '0.1100',
    volume_fp: '40208.00',
  },
}

/** Starts them; `endpoints` is for each of the three. */
export function startPredictions(): Promise<StandIn> {
  return startStandIn({
    markets: [],
    rateLimited: { status: 429, body: '{"error":"rate limited"}' },
    rest,
    accepts: () => false,
    message: () => {},
    ticker: () => '',
  })
}

function rest({ path }: RestCall): Reply | undefined {
  const [, first] = /^\/markets\/slug\/([^/]+)$/.exec(path) ?? []
  if (first !== undefined) {
    return found(polymarket[first], { type: 'not found error', error: 'slug not found' })
  }
  const [, second] = /^\/trade-api\/v2\/markets\/([^/]+)$/.exec(path) ?? []
  if (second !== undefined) {
    const market = kalshi[second]
    return found(market && { market }, { error: { code: 'not_found', message: 'not found' } })
  }
  const [, third] = /^\/markets\/([^/]+)$/.exec(path) ?? []
  if (third !== undefined) return found(limitless[third], { message: 'Market not found' })
  return undefined
}

function found(market: object | undefined, missing: object): Reply {
  return market === undefined ? { status: 404, json: missing } : { json: market }
}
