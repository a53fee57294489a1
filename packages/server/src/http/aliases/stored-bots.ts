import { type Aliases, type OtherNames, Untranslatable } from './alias.ts'
import { dataBeside, messageBeside, trueOnly, wholePage, wordOnly } from './answers.ts'
import { opposite, renamed } from './names.ts'

/** Whether each signal names the market. A bot that does not take it from there has to have one of its own. */
const slugFromSignal: OtherNames = {
  names: {
    slug_from_signal: { type: 'boolean', description: '`true` means `slug: null`; `false` needs a `slug`.' },
  },
  means: 'slug',
  beside: ['slug'],
  read: ({ slug_from_signal: isFromSignal }, { body }) => {
    const hasSlug = Object.hasOwn(body, 'slug') && body.slug !== null
    if (isFromSignal === true) {
      if (!hasSlug) return { slug: null }
      throw new Untranslatable('slug_from_signal', 'must be false beside a `slug`')
    }
    if (isFromSignal !== false) throw new Untranslatable('slug_from_signal', 'must be boolean')
    if (!hasSlug)
      throw new Untranslatable(
        'slug_from_signal',
        'can be false only beside a `slug`, which names the market',
      )
    return {}
  },
}

/** A DEX of the catalogue is on one chain, so the chain is known, and can only be confirmed. */
const chainId: OtherNames = {
  names: {
    chain_id: {
      anyOf: [
        { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', maxLength: 64 },
      ],
      description: 'The chain of the exchange, which has to be the right one.',
    },
  },
  means: 'exchange_id',
  beside: ['exchange_id'],
  read: ({ chain_id: chain }, { body, facts }) => {
    if (!Object.hasOwn(body, 'exchange_id')) {
      throw new Untranslatable('chain_id', 'needs `exchange_id`, a DEX of the catalogue on this chain')
    }
    const own = facts.chainOf(Number(body.exchange_id))
    // The route refuses what is no DEX.
    if (own === null || own === String(chain)) return {}
    throw new Untranslatable('chain_id', `must be the chain of exchange ${Number(body.exchange_id)}: ${own}`)
  },
}

const ofMarkets = [
  renamed('api_id', 'connection_id'),
  slugFromSignal,
  opposite('amount_from_signal', 'strict_amount'),
  renamed('delay', 'delay_seconds'),
]
// The exchange first: it decides which chain is right.
const ofDexes = [renamed('factory_id', 'exchange_id'), chainId, renamed('delay', 'delay_seconds')]

const account = [
  renamed('exchangeId', 'exchange_id'),
  renamed('funderAddress', 'wallet_address'),
  renamed('walletPrivateKey', 'private_key'),
]

const page = (of: `GET /${string}`, summary: string) => ({
  of,
  summary,
  description: 'Always a page, with the bots in `data` too.',
  query: wholePage,
  answer: dataBeside,
})

/** Bots for prediction markets and for DEXes, and connections to prediction markets. */
export const stored: Aliases = {
  operations: {
    'POST /bot/signal/prediction': { body: ofMarkets },
    'PUT /bot/signal/prediction/:id': { body: ofMarkets, answer: messageBeside },
    'PUT /bot/signal/prediction/folder/:id': { answer: messageBeside },
    'POST /bot/signal/dex': { body: ofDexes },
    'PUT /bot/signal/dex/:id': { body: ofDexes, answer: messageBeside },
    'PUT /bot/signal/dex/folder/:id': { answer: messageBeside },
    'POST /api/prediction': { body: account },
    'POST /api/prediction/test': { body: account, answer: trueOnly },
    'PUT /api/prediction/:id/status': { answer: messageBeside },
    'DELETE /api/prediction/:id': { answer: wordOnly },
  },
  paths: {
    'GET /webhook/bot/bot/signal/:id/prediction': page(
      'GET /webhook/bot/:id/prediction-bots',
      'List the prediction bots of a bot webhook',
    ),
    'GET /webhook/bot/bot/signal/:id/dex': page(
      'GET /webhook/bot/:id/dex-bots',
      'List the DEX bots of a bot webhook',
    ),
    'GET /api/prediction/bot/signal/:id': page(
      'GET /api/prediction/:id/bots',
      'List the bots that have a prediction connection',
    ),
    'GET /bot/signal/dex/factory/:chain/:id': {
      of: 'GET /exchange/dex/:chain/:id',
      summary: 'Read what creates bots on a DEX',
      description: 'Here, that is the DEX itself: its `id` is what `factory_id` takes.',
    },
    'GET /bot/signal/prediction/market/:exchange/:slug': {
      of: 'GET /market/prediction/:exchange/:slug',
      summary: 'Read a market of a prediction exchange',
      description: 'Its name at the hosted service. `exchange` may be an id of the catalogue.',
    },
  },
}
