import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import type { ExchangeConnections } from '../connections/exchange-connections.ts'
import type { Database } from '../db/database.ts'
import type { Node } from '../db/node.ts'
import type { Announce } from '../live/changes.ts'
import type { CandleSource } from '../market/candles/candle-source.ts'
import type { Market } from '../market/market.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { OrderRequest } from '../trading/types.ts'
import { DatabaseBooks } from './database-books.ts'
import { DrawdownLimits } from './drawdown-limit.ts'
import type { HeldBot } from './inbox.ts'
import { LegKeeper } from './legs/keeper.ts'
import { LossLimits } from './loss-limit.ts'
import type { MissedCandles } from './missed-candles.ts'
import type { OrderSubscribers } from './order-notifications.ts'
import { Fundings } from './paper/fundings.ts'
import { Liquidations } from './paper/liquidations.ts'
import type { MinuteCandles } from './paper/volume.ts'
import { ProtectionWatch } from './protection/watch.ts'
import { AccountEquities } from './reconciliation/account-equity.ts'
import { ReconciliationChecks } from './reconciliation/checks.ts'
import { Funding } from './reconciliation/funding.ts'
import { ReconciliationStore } from './reconciliation/store.ts'
import { ReconciliationWriting } from './reconciliation/writing.ts'
import type { PriceLookUp } from './valuation.ts'
import { BotVenues } from './venues.ts'
import { BotWorker } from './worker.ts'

export type BotsParts = {
  config: Pick<Config, 'exchangeEndpoints'>
  database: Database
  /** This process. It must stay alive until the worker has stopped. */
  node: Node
  market: Market
  candles: MissedCandles & MinuteCandles
  rates: Pick<CandleSource, 'funding'>
  prices: PriceLookUp
  catalogue: Pick<Catalogue, 'find'>
  connections: ExchangeConnections
  /**
   * Why orders of this purpose are halted now, as a sentence; `null` if they are not.
   * @throws an error that `isDatabaseAway` accepts while nobody knows
   */
  whyHalted(purpose: OrderRequest['purpose']): string | null | Promise<string | null>
  /** Whether live bots may send orders now. */
  isLiveAllowed(): boolean
  /** Get notifications about orders and failed signals. */
  subscribers: OrderSubscribers
  /** Tells live streams. */
  onChange: Announce
  metrics: Metrics
  logger: Logger
}

/** Starts to follow the signals of bots in this process. */
export async function startBots(
  parts: BotsParts,
): Promise<Pick<BotWorker, 'announce' | 'checkNow' | 'stop'>> {
  const { config, database, node, market, catalogue, connections, subscribers, onChange, metrics, logger } =
    parts
  const candles = market.kind === 'replay' ? null : parts.candles
  const venues = new BotVenues({
    database,
    market,
    candles,
    catalogue,
    connections,
    endpoints: config.exchangeEndpoints,
  })
  const markPrice = (bot: HeldBot, symbol: string) => {
    const place = catalogue.find(bot.exchangeId)
    const quote = place && market.latest(place, symbol)
    return quote === undefined ? null : String(quote.price)
  }
  const openBooks = (bot: HeldBot) =>
    new DatabaseBooks({
      database,
      nodeId: node.id,
      bot: { id: bot.id, userId: bot.userId, startBalance: bot.settings.startBalance },
      markPrice: (symbol) => markPrice(bot, symbol),
      ...{ subscribers, onChange },
      announce,
      onProtected: () => {
        protections.wake()
        worker.keepNow(bot.id, null)
      },
    })
  const announce = (botIds: number[]) => worker.announce(botIds)
  const protections = new ProtectionWatch({
    ...{ database, market, catalogue, announce, onChange },
    keepNow: (botId, symbol) => worker.keepNow(botId, symbol),
    candles,
    onError: (err) => logger.error({ err }, 'positions not watched'),
  })
  const liquidations = new Liquidations({
    ...{ database, market, catalogue, candles, subscribers, onChange },
    onError: (err) => logger.error({ err }, 'margins not watched'),
  })
  const fundings = new Fundings({
    ...{ database, market, catalogue, candles, rates: parts.rates, subscribers, onChange },
    onError: (err) => logger.error({ err }, 'funding not booked'),
  })
  const openVenue = (bot: HeldBot) => venues.open(bot, openBooks(bot))
  const onError = (err: unknown, botId: number) => logger.error({ err, botId }, 'bot held up')
  const writing = { database, nodeId: node.id, markPrice, subscribers, onChange }
  const orderPrefix = newOrderPrefix()
  const legs = new LegKeeper({
    ...{ database, node, catalogue, openVenue, orderPrefix, announce, subscribers, onChange, onError },
    whyHalted: ({ mode }) => whyHaltedFor(parts, mode, 'close'),
    compare: (bot, symbol) => checks.compareNow(bot, symbol),
    onUnprotectedSeconds: (seconds) => metrics.unprotectedSeconds.inc(seconds),
  })
  const checks = new ReconciliationChecks({
    store: new ReconciliationStore(database),
    writing: new ReconciliationWriting(writing),
    funding: new Funding(writing),
    equities: new AccountEquities(database, node.id, onChange),
    ...{ node, openVenue, openBooks, onError, legs },
  })
  const worker = new BotWorker({
    database,
    node,
    openVenue,
    openBooks,
    checks,
    legs,
    settleMargin: (bot, symbol) => liquidations.settle(bot, symbol),
    whyHalted: ({ mode }, purpose) => whyHaltedFor(parts, mode, purpose),
    ...{ orderPrefix, subscribers, onChange },
    onOutcome: (bot, signal, { status, reason }) => {
      metrics.botSignals.inc({ status })
      logger.info(
        { botId: bot.id, botSignalId: signal.id, symbol: signal.symbol, status, reason },
        'signal followed',
      )
    },
    onError,
  })
  await worker.start()
  const limits = new LossLimits({
    ...{ database, announce, prices: parts.prices, subscribers, onChange },
    onError: (err) => logger.error({ err }, 'loss limits not checked'),
  })
  limits.start()
  const drawdowns = new DrawdownLimits({
    ...{ database, announce, prices: parts.prices, subscribers, onChange },
    onError: (err) => logger.error({ err }, 'drawdowns not checked'),
  })
  drawdowns.start()
  protections.start()
  liquidations.start()
  fundings.start()
  return {
    announce,
    checkNow: (botIds) => worker.checkNow(botIds),
    stop: async () => {
      const watches = [limits, drawdowns, protections, liquidations, fundings]
      await Promise.all(watches.map((watch) => watch.stop()))
      await worker.stop()
      await venues.close()
    },
  }
}

/** Why no bot in this mode may place an order of this purpose now, as a sentence; `null` if one may. */
export async function whyHaltedFor(
  trading: Pick<BotsParts, 'whyHalted' | 'isLiveAllowed'>,
  mode: 'paper' | 'live',
  purpose: OrderRequest['purpose'],
): Promise<string | null> {
  const halted = await trading.whyHalted(purpose)
  if (halted !== null || mode === 'paper' || trading.isLiveAllowed()) return halted
  return 'Live trading is off on this installation.'
}

/**
 * The prefix of client order ids: another one after each start. A restored backup does not know the orders that were
 * placed after it was made, so the same numbers come again. Eight characters, each one of 36.
 */
function newOrderPrefix(): string {
  const letters = Array.from({ length: 8 }, () => randomInt(36).toString(36))
  return `tw${letters.join('')}`
}
