import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { given } from '../../base/given.ts'
import type { StoredBotSettings, StoredBotType, storedBots } from '../../db/schema.ts'
import { storedBotWords } from '../../db/stored-bot-kinds.ts'
import { readSettings, settableSettings } from '../settings.ts'

export type StoredBot = typeof storedBots.$inferSelect

/** The fields that its owner can set. A missing field stays as it is, or gets its default. */
export type StoredBotChanges = {
  name?: string
  webhookId?: number | null
  exchangeId?: number
  connectionId?: number | null
  folderId?: number | null
  address?: string | null
  settings?: Partial<StoredBotSettings>
}

/** One type of bot without a venue: its path, its names in texts, and its own fields. */
export type StoredKind = {
  type: StoredBotType
  /** After `/api/v2`. */
  path: string
  /** The section of the API reference. */
  tag: string
  one: string
  many: string
  /** What its exchanges are in the catalogue, and in words. */
  exchangeType: 'PREDICTION' | 'DEX'
  exchange: string
  /** A sentence about where its exchange comes from. */
  exchangeHelp: string
  defaults: StoredBotSettings
  /** The fields that only this type has, in requests and in responses. */
  settable: TProperties
  shown: TProperties
  examples: { create: object; change: object }
  /** @param body is valid by the schema of `settable`; every field is optional */
  read(body: object): StoredBotChanges
  /** The fields of `shown`. */
  present(bot: StoredBot): Record<string, unknown>
}

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const delay_seconds = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description: 'How long the bot is to wait after a signal before it follows it.',
})

const strict_amount = Type.Boolean({
  description: 'If `true`, the size of a signal is to count only with `forceSize`.',
})
const amountText =
  'How much an opening order is to be for when the signal has no size that counts, in the currency of the market.'
const slug = orNull(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Names the market that the bot is to trade; `null`: the market that each signal names.',
  }),
)
const connection_id = orNull(
  Type.Integer({
    ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    description: 'The prediction connection that it is to use.',
  }),
)

export const predictionBots = kind({
  type: 'signal-prediction',
  path: '/bot/signal/prediction',
  tag: 'Prediction bots',
  one: storedBotWords['signal-prediction'],
  many: 'prediction bots',
  exchangeType: 'PREDICTION',
  exchange: 'prediction market',
  exchangeHelp:
    'A prediction market of the catalogue, such as 15: Polymarket. Without it, that of `connection_id`.',
  defaults: { slug: null, amount: '100', strictAmount: false, delaySeconds: 0 },
  settable: {
    connection_id,
    slug,
    amount: { ...settableSettings.amount, description: amountText },
    strict_amount,
    delay_seconds,
  },
  shown: {
    connection_id,
    slug,
    amount: Type.String({ description: amountText }),
    strict_amount,
    delay_seconds,
  },
  examples: {
    create: { name: 'Elections', webhook_id: 1, exchange_id: 15, amount: '25' },
    change: { amount: '50', slug: 'will-it-rain' },
  },
  read: ({ connection_id: connectionId, slug, ...settings }) => {
    const { amount, strictAmount, delaySeconds } = readSettings(settings)
    return given({ connectionId, settings: given({ slug, amount, strictAmount, delaySeconds }) })
  },
  present: ({ connectionId, settings }) => ({
    connection_id: connectionId,
    slug: settings.slug!,
    amount: settings.amount!,
    strict_amount: settings.strictAmount!,
    delay_seconds: settings.delaySeconds,
  }),
})

const address = orNull(
  Type.String({
    maxLength: 128,
    pattern: '^[\\w:.-]+$',
    description:
      'The address of the bot on its chain. You have one bot at an address. Hexadecimal addresses are shown in lower case.',
  }),
)
const symbol = {
  ...settableSettings.symbol,
  description:
    'The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives.',
}

export const dexBots = kind({
  type: 'signal-dex',
  path: '/bot/signal/dex',
  tag: 'DEX bots',
  one: storedBotWords['signal-dex'],
  many: 'DEX bots',
  exchangeType: 'DEX',
  exchange: 'DEX',
  exchangeHelp: 'A DEX of the catalogue, which is on one chain: see `/exchange/dex/{chain}`.',
  defaults: { symbols: [], delaySeconds: 0 },
  settable: { address, symbol, delay_seconds },
  shown: {
    chain_id: Type.String({ description: 'The chain of its exchange.' }),
    address,
    symbol,
    delay_seconds,
  },
  examples: {
    create: { name: 'On a chain', webhook_id: 1, exchange_id: 244, symbol: 'ETHUSDC' },
    change: { symbol: 'ETHUSDC,BTCUSDC' },
  },
  read: ({ address, ...settings }) => {
    const { symbols, delaySeconds } = readSettings(settings)
    return given({ address, settings: given({ symbols, delaySeconds }) })
  },
  present: ({ chainId, address, settings }) => ({
    chain_id: chainId!,
    address,
    symbol: settings.symbols!.length === 0 ? null : settings.symbols!.join(','),
    delay_seconds: settings.delaySeconds,
  }),
})

export const storedKinds: readonly StoredKind[] = [predictionBots, dexBots]

/** Has the compiler compare what a kind reads and presents with its schemas. */
function kind<Settable extends TProperties, Shown extends TProperties>(
  kind: Omit<StoredKind, 'settable' | 'shown' | 'read' | 'present'> & {
    settable: Settable
    shown: Shown
    read(body: Partial<Static<TObject<Settable>>>): StoredBotChanges
    present(bot: StoredBot): Static<TObject<Shown>>
  },
): StoredKind {
  return kind as unknown as StoredKind
}
