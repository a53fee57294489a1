import { type Aliases, type OtherNames, Untranslatable } from './alias.ts'
import { dataBeside, messageBeside, wholePage } from './answers.ts'
import { opposite, renamed } from './names.ts'

const side = {
  anyOf: [{ type: 'string', maxLength: 20 }, { type: 'null' }],
  description: 'One side of the market that `symbol` names, such as `BTC` of `BTC/USDT`.',
}

/** Both sides of a market. Scripts also send `symbol`, which has to mean the same market. */
const pair: OtherNames = {
  names: { pair_base: side, pair_quote: side },
  means: 'symbol',
  beside: ['symbol'],
  read: ({ pair_base: base, pair_quote: quote }, { body }) => {
    const hasSymbol = Object.hasOwn(body, 'symbol') && body.symbol !== null && body.symbol !== ''
    if (isNone(base) && isNone(quote)) return hasSymbol ? {} : { symbol: null }
    if (!isSide(base)) throw new Untranslatable('pair_base', needsBoth)
    if (!isSide(quote)) throw new Untranslatable('pair_quote', needsBoth)
    const market = `${base}/${quote}`.toUpperCase()
    if (!hasSymbol) return { symbol: market }
    if (lettersOf(body.symbol) !== lettersOf(market)) {
      throw new Untranslatable(
        'pair_base',
        `and pair_quote name ${market}, and symbol another market: a bot trades the markets that its symbol names`,
      )
    }
    return {}
  },
}

const needsBoth = 'must be one side of a market, such as BTC, with the other side beside it'

const isNone = (side: unknown) => side === undefined || side === null || side === ''
const isSide = (side: unknown) => typeof side === 'string' && /^[\w.-]{1,20}$/.test(side)
const lettersOf = (symbol: unknown) =>
  String(symbol)
    .toUpperCase()
    .replaceAll(/[^A-Z\d]/g, '')

/** An amount of 1 must never become 1 USDT where one bitcoin is meant. */
const isQuote: OtherNames = {
  names: {
    is_quote: { type: 'boolean', description: '`true` means `amount_unit: "quote"`, and `false` `"base"`.' },
  },
  means: 'amount_unit',
  read: ({ is_quote: isQuote }) => {
    if (typeof isQuote !== 'boolean') throw new Untranslatable('is_quote', 'must be boolean')
    return { amount_unit: isQuote ? 'quote' : 'base' }
  },
}

const settings = [
  renamed('api_id', 'connection_id'),
  opposite('amount_from_signal', 'strict_amount'),
  isQuote,
  pair,
  renamed('delay', 'delay_seconds'),
]

export const bots: Aliases = {
  operations: {
    'POST /bot/signal/cex': { body: settings },
    'PUT /bot/signal/cex/:id': { body: settings, answer: messageBeside },
    'PUT /bot/signal/cex/folder/:id': { answer: messageBeside },
  },
  paths: {
    'GET /api/exchange/bot/signal/:id': {
      of: 'GET /api/exchange/:id/bots',
      summary: 'List the signal bots that have an exchange connection',
      description: 'Always a page, with the bots in `data` too.',
      query: wholePage,
      answer: dataBeside,
    },
    'GET /webhook/bot/bot/signal/:id/cex': {
      of: 'GET /webhook/bot/:id/bots',
      summary: 'List the signal bots that follow a bot webhook',
      description: 'Always a page, with the bots in `data` too.',
      query: wholePage,
      answer: dataBeside,
    },
  },
}
