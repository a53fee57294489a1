import { and, asc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { copyName } from '../base/copy-name.ts'
import { decimal, plain } from '../base/decimals.ts'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import { nameOfSymbols } from '../base/made-up-name.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ExchangeConnections } from '../connections/exchange-connections.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { ofOne, type Slots } from '../db/reads.ts'
import {
  type BotSettings,
  type BotSignalStatus,
  botSignals,
  bots,
  equity,
  exchangeConnections,
} from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import { holdFolder } from '../folders/folders.ts'
import type { Announce } from '../live/changes.ts'
import { checkAmounts, checkSameAmount, settingsOfNewBot } from './amount-currency.ts'
import type { Bot, BotChanges, BotStatus, NewBot, ShownBot } from './bot.ts'
import {
  changedBot,
  claimsMore,
  closesFromNowOn,
  isTrading,
  moves,
  startsAgain,
  withStartBalance,
} from './changed-bot.ts'
import { delayAnew, isNewDelay } from './delays.ts'
import { noDrawdown } from './drawdown-reset.ts'
import { checkEntry } from './entry-settings.ts'
import { deletedReason, demandNothingHeld, type Holdings, hasTraded, holdingsOf } from './holdings.ts'
import { queueLimitCloses } from './loss-limit.ts'
import {
  checkMargin,
  demandSameMarginMode,
  isNewFunding,
  isNewMargin,
  payFromNow,
  watchMarginAnew,
} from './margin-settings.ts'
import { asksOtherMarkets, demandMarketLeverage } from './market-leverage.ts'
import {
  checkActivation,
  checkExchange,
  checkMode,
  exchangeMeant,
  lockConnection,
  lockWebhook,
} from './places.ts'
import { announceSignal } from './queued-closes.ts'
import { SharedAccounts, type SharedAccountsParts, type SymbolNames } from './shared-accounts.ts'

export type BotsParts = SharedAccountsParts & {
  database: Database
  limits: UserLimits
  catalogue: Pick<Catalogue, 'find'>
  connections: Pick<ExchangeConnections, 'checkForTrading' | 'sameAccount'>
  /** Whether live bots may send orders to exchanges now. */
  isLiveAllowed(): boolean
  /** Called after the commit, with bots that have signals to follow. */
  onBots(botIds: number[]): void
  onChange?: Announce
}

/** `folderId: null` selects the bots that are in no folder. */
export type BotFilter = { webhookId?: number; connectionId?: number; folderId?: number | null }

type Own = { userId: number; id: number }

/** The bots of all users. A bot of another user counts as missing. */
export class Bots {
  #parts: BotsParts
  #sharedAccounts: SharedAccounts

  constructor(parts: BotsParts) {
    this.#parts = parts
    this.#sharedAccounts = new SharedAccounts(parts)
  }

  /**
   * The new bot is `INACTIVE`.
   * @throws {AppError} 400 for an invalid field
   */
  async create(userId: number, given: NewBot): Promise<ShownBot> {
    const decided = await this.prepareNew(userId, given)
    const id = await this.#db.transaction((tx) => this.createIn(tx, userId, decided))
    this.tell({ id, hasSignals: false })
    return this.get(userId, id)
  }

  /**
   * What a new bot will have, as far as that can be decided before the transaction.
   * @throws {AppError} 400 for an invalid field
   */
  async prepareNew(userId: number, { settings, ...given }: NewBot): Promise<DecidedBot> {
    const exchangeId = await exchangeMeant(this.#db, userId, given)
    if (exchangeId === undefined)
      throw invalidField('exchange_id', 'is required, unless connection_id is given')
    const exchange = checkExchange(this.#parts.catalogue, exchangeId)
    const decided = settingsOfNewBot(settings ?? {}, exchange)
    await demandMarketLeverage(this.#parts.market, exchange, decided)
    const whole = withStartBalance(given.mode ?? 'paper', decided, settings?.startBalance)
    return { ...given, exchangeId, settings: whole }
  }

  /**
   * Creates a bot as a part of a transaction, which has locked nothing but the account before.
   * @returns its id, for `tell`, after the commit; it is `INACTIVE`
   */
  async createIn(tx: Db, userId: number, { settings, ...given }: DecidedBot): Promise<number> {
    const { catalogue } = this.#parts
    await this.#parts.limits.demandRoom(tx, userId, 'bots')
    const place = { mode: 'paper' as const, connectionId: null, ...given }
    const exchange = checkExchange(catalogue, place.exchangeId)
    checkMode(catalogue, place)
    checkMargin({ mode: place.mode, settings }, exchange)
    checkEntry({ mode: place.mode, settings }, exchange)
    await lockWebhook(tx, userId, given.webhookId)
    await lockConnection(tx, userId, place)
    await holdFolder(tx, userId, given.folderId, 'signal-cex')
    return (await insert(tx, { name: nameOfSymbols(settings.symbols), ...given, userId, settings })).id
  }

  /** Creates a bot with the same settings, `INACTIVE` and with empty books. */
  async duplicate(userId: number, id: number): Promise<ShownBot> {
    const copy = await this.#db.transaction(async (tx) => {
      // The account is locked before the bot. The webhook may belong to another user: if that user revokes the share
      // at this moment, both bots lose the webhook, or neither does.
      await this.#parts.limits.demandRoom(tx, userId, 'bots')
      // While the original is locked, nobody can delete its webhook or its connection, which the copy gets too.
      const [original] = await tx.select().from(bots).where(own({ userId, id })).for('share')
      if (original === undefined) throw notFound('bot', id)
      const { id: _id, status, holder, limitReachedAt, version, createdAt, updatedAt, ...decided } = original
      return insert(tx, { ...decided, ...noDrawdown, name: copyName(original.name) })
    })
    this.tell({ id: copy.id, hasSignals: false })
    return this.get(userId, copy.id)
  }

  async get(userId: number, id: number): Promise<ShownBot> {
    const { read } = this.#parts.database
    const [bot] = await read('bot', { userId, id }, (slots) => this.#shown().where(own(slots)))
    if (bot === undefined) throw notFound('bot', id)
    return toShown(bot)
  }

  /** @throws {AppError} 404 if the user has no such bot */
  async checkExists(userId: number, id: number): Promise<void> {
    const { database } = this.#parts
    const found = await database.count(bots, { userId, id }, own)
    if (found === 0) throw notFound('bot', id)
  }

  /** In order of id. */
  async list(
    userId: number,
    window: { limit: number; offset: number },
    filter: BotFilter = {},
  ): Promise<ShownBot[]> {
    const { read } = this.#parts.database
    const found = await read(
      'bots',
      { userId, ...window },
      (slots, filter) =>
        this.#shown()
          .where(matching(slots, filter))
          .orderBy(asc(bots.userId), asc(bots.id))
          .limit(slots.limit)
          .offset(slots.offset),
      filter,
    )
    return found.map(toShown)
  }

  count(userId: number, filter: BotFilter = {}): Promise<number> {
    return this.#parts.database.count(bots, { userId }, matching, filter)
  }

  /**
   * @throws {AppError} 400 for an invalid field
   * @throws {AppError} 409 if the mode, exchange or connection changes while the bot is busy, or if the bot is live and
   * could no longer be activated; 503 if it then cannot reach the exchange
   */
  async change(userId: number, id: number, given: BotChanges): Promise<ShownBot> {
    const prepared = await this.prepareChange(userId, id, given)
    const saved = await this.#db.transaction((tx) => this.changeIn(tx, { userId, id }, prepared))
    this.tell(saved)
    return this.get(userId, id)
  }

  /**
   * What a change of a bot needs to know before its transaction, which must not wait for an exchange.
   * @throws {AppError} as `change`
   */
  async prepareChange(userId: number, id: number, given: BotChanges): Promise<PreparedChange> {
    const exchangeId = await exchangeMeant(this.#db, userId, given)
    const changes = exchangeId === undefined ? given : { ...given, exchangeId }
    const before = await this.get(userId, id)
    const after = changedBot(before, changes)
    const place = this.#parts.catalogue.find(after.exchangeId)
    if (place !== undefined && asksOtherMarkets(before, after))
      await demandMarketLeverage(this.#parts.market, place, after.settings)
    return { changes, checked: await this.#checkChange(before, after) }
  }

  /**
   * Changes a bot as a part of a transaction, which has locked nothing but the account before.
   * @returns for `tell`, after the commit
   */
  async changeIn(tx: Db, { userId, id }: Own, { changes, checked }: PreparedChange): Promise<SavedBot> {
    const { settings, ...columns } = changes
    await lockAccount(tx, userId)
    const before = await lockBot(tx, userId, id)
    const after = changedBot(before, changes)
    checkAmounts(after.settings)
    checkSameAmount(before.settings, after.settings, settings?.amount !== undefined)
    const place = this.#parts.catalogue.find(after.exchangeId)
    if (place !== undefined) {
      checkMargin(after, place)
      checkEntry(after, place)
    }
    if (settings?.marginMode !== undefined) demandSameMarginMode(before, after, await holdingsOf(tx, id))
    await lockWebhook(tx, userId, changes.webhookId)
    await holdFolder(tx, userId, changes.folderId, 'signal-cex')
    if (moves(before, after)) await this.#checkMove(tx, before, after)
    await checkBooks(tx, before, after)
    if (isTrading(after) && moves(before, after)) demandChecked(after, checked)
    if (claimsMore(before, after)) await this.#sharedAccounts.demandOwnSymbols(tx, after, checked.names)
    // A new limit is a new decision of the owner: the loss counts against it from now on.
    const isNewLimit = after.settings.maxDailyLoss !== before.settings.maxDailyLoss
    const reset = isNewLimit ? { limitReachedAt: null } : {}
    const restarted = startsAgain(before, after) ? { highestEquity: null } : {}
    await update(tx, id, { ...columns, ...reset, ...restarted, settings: after.settings })
    const delayed = isNewDelay(before, after) ? await delayAnew(tx, after) : []
    if (isNewMargin(before, after)) await watchMarginAnew(tx, id)
    if (isNewFunding(before, after)) await payFromNow(tx, id)
    const now = new Date()
    const mustClose = !isNewLimit && closesFromNowOn(before, after, now)
    const closes = mustClose ? await queueLimitCloses(tx, after, now) : null
    const hasSignals = (closes !== null && closes.symbols.length > 0) || isNewDelay(before, after)
    return { id, hasSignals, delayed, newSignalId: closes?.signalId ?? null }
  }

  /** After the commit of a new bot or of a change, the bot follows what it has to, and live streams show it. */
  tell({ id, hasSignals, delayed = [], newSignalId = null }: SavedBot): void {
    const { onBots, onChange } = this.#parts
    if (hasSignals) onBots([id])
    if (newSignalId !== null) announceSignal(onChange, newSignalId)
    this.tellOfSignals(delayed)
    onChange?.({ kind: 'status', id, part: 'bot' })
  }

  /** After the commit, live streams show these signals of bots. */
  tellOfSignals(botSignalIds: readonly number[]): void {
    for (const id of botSignalIds) this.#parts.onChange?.({ kind: 'bot_signal', id })
  }

  /**
   * Deactivating a bot does not close its positions.
   * @returns what the bot holds and what is in progress
   * @throws {AppError} 409 or 403 if the bot cannot be activated, 429 or 503 if the exchange cannot be asked
   */
  async setStatus(userId: number, id: number, status: BotStatus): Promise<Holdings> {
    const checked = status === 'ACTIVE' ? await this.#checkActivation(await this.get(userId, id)) : undefined
    const holdings = await this.#db.transaction(async (tx) => {
      if (checked !== undefined) await lockAccount(tx, userId)
      const bot = await lockBot(tx, userId, id)
      if (checked !== undefined) {
        checkActivation(this.#parts, bot, await lockConnection(tx, userId, bot))
        demandChecked(bot, checked)
        await this.#sharedAccounts.demandOwnSymbols(tx, bot, checked.names)
      }
      const settings = checked === undefined ? bot.settings : await settingsAtStart(tx, bot)
      await update(tx, id, { status, settings })
      return holdingsOf(tx, id)
    })
    this.#parts.onChange?.({ kind: 'status', id, part: 'bot' })
    return holdings
  }

  /**
   * Orders and fills stay. Signals that the bot has not followed end as `IGNORED`.
   * @param abandonsPositions deletes the bot even if it holds positions, without closing them, and drops closes that wait
   * @throws {AppError} 409 that names what the bot holds and what is in progress
   */
  async delete(userId: number, id: number, abandonsPositions = false): Promise<void> {
    this.tellOfSignals(await this.#db.transaction((tx) => this.deleteIn(tx, userId, id, abandonsPositions)))
  }

  /**
   * Deletes a bot as a part of a transaction. Throws what `delete` does.
   * @returns the signals that it has ended, for `tellOfSignals`, after the commit
   */
  async deleteIn(tx: Db, userId: number, id: number, abandonsPositions = false): Promise<number[]> {
    await lockBot(tx, userId, id)
    const unfollowed: BotSignalStatus[] = [
      'DELAYED',
      'QUEUED',
      ...(abandonsPositions ? ['WAITING' as const] : []),
    ]
    const ended = await tx
      .update(botSignals)
      .set({
        status: 'IGNORED',
        reason: deletedReason,
        finishedAt: sql`now()`,
      })
      .where(and(eq(botSignals.botId, id), inArray(botSignals.status, unfollowed)))
      .returning({ id: botSignals.id })
    const { orders, signals, ...held } = await holdingsOf(tx, id)
    const holdings = {
      orders,
      signals,
      ...(abandonsPositions ? { positions: [], waiting: [], legs: [] } : held),
    }
    demandNothingHeld(holdings, 'resource_in_use', `Bot ${id} cannot be deleted`)
    await tx.delete(equity).where(eq(equity.botId, id))
    await tx.delete(bots).where(eq(bots.id, id))
    return ended.map((signal) => signal.id)
  }

  async #checkActivation(bot: Bot): Promise<Checked> {
    // This needs no request to the exchange, so it comes first.
    checkActivation(this.#parts, bot, await lockConnection(this.#db, bot.userId, bot))
    return this.#ask(bot)
  }

  async #checkChange(before: Bot, after: Bot): Promise<Checked> {
    if (!claimsMore(before, after)) return unchecked
    if (!moves(before, after))
      return { ...unchecked, names: await this.#sharedAccounts.names(this.#db, after) }
    await this.#checkMove(this.#db, before, after)
    return this.#ask(after)
  }

  /** Asks the exchange and the market about a live bot. A transaction must not wait for them, so it begins afterwards. */
  async #ask(bot: Bot): Promise<Checked> {
    const { mode, connectionId, userId } = bot
    if (mode === 'paper' || connectionId === null) return unchecked
    await this.#parts.connections.checkForTrading(userId, connectionId)
    return { connectionId, names: await this.#sharedAccounts.names(this.#db, bot) }
  }

  /** Positions and orders of a bot belong to one exchange account, so a bot that has any cannot move. */
  async #checkMove(tx: Db, before: Bot, after: Bot): Promise<void> {
    const { catalogue } = this.#parts
    if (before.exchangeId !== after.exchangeId) checkExchange(catalogue, after.exchangeId)
    checkMode(catalogue, after)
    const connection = await lockConnection(tx, after.userId, after)
    const what = `Mode, exchange and connection of bot ${before.id} cannot be changed`
    demandNothingHeld(await holdingsOf(tx, before.id), 'resource_conflict', what)
    if (after.status === 'ACTIVE') checkActivation(this.#parts, after, connection)
  }

  #shown() {
    return this.#db
      .select({ bot: bots, isDemo: exchangeConnections.isDemo })
      .from(bots)
      .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
      .$dynamic()
  }

  get #db(): Db {
    return this.#parts.database.db
  }
}

/** All settings of a bot that does not exist yet. */
export type DecidedBot = BotChanges & { exchangeId: number; settings: BotSettings }
/** A change of a bot, and what the exchange says about the bot with it. */
export type PreparedChange = { changes: BotChanges; checked: Checked }
/**
 * A change whose transaction may not have been committed yet. `hasSignals`: there are some to follow now. `delayed`: signals
 * of the bot that have another time now. `newSignalId`: of closes that the change has queued.
 */
export type SavedBot = {
  id: number
  hasSignals: boolean
  delayed?: readonly number[]
  newSignalId?: number | null
}

/** The connection whose account can trade, and the market's names of symbols. */
type Checked = { connectionId: number | null; names: SymbolNames }

const unchecked: Checked = { connectionId: null, names: new Map() }

/** @throws {AppError} 409 if a live bot got another connection while the exchange was asked about its earlier one */
function demandChecked({ id, mode, connectionId }: Bot, checked: Checked): void {
  if (mode === 'paper' || connectionId === checked.connectionId) return
  throw new AppError('resource_conflict', `Bot ${id} was changed in the meantime. Try again.`)
}

function matching({ userId }: Slots<Pick<Own, 'userId'>>, filter: Slots<BotFilter>): SQL | undefined {
  const { webhookId, connectionId, folderId } = filter
  const inFolder = folderId === null ? isNull(bots.folderId) : eq(bots.folderId, folderId ?? 0)
  return and(
    ofOne(bots.userId, userId, filter),
    webhookId === undefined ? undefined : eq(bots.webhookId, webhookId),
    connectionId === undefined ? undefined : eq(bots.connectionId, connectionId),
    folderId === undefined ? undefined : inFolder,
  )
}

function toShown({ bot, isDemo }: { bot: Bot; isDemo: boolean | null }): ShownBot {
  return { ...bot, isDemo: bot.mode === 'live' && isDemo === true }
}

function own({ userId, id }: Own | Slots<Own>): SQL | undefined {
  return and(eq(bots.id, id), eq(bots.userId, userId))
}

/** Reads a bot and locks it until the transaction ends. */
async function lockBot(tx: Db, userId: number, id: number): Promise<Bot> {
  const [bot] = await tx.select().from(bots).where(own({ userId, id })).for('update')
  if (bot === undefined) throw notFound('bot', id)
  return bot
}

async function insert(tx: Db, values: typeof bots.$inferInsert): Promise<Bot> {
  const [bot] = await tx.insert(bots).values(values).returning()
  return bot!
}

async function update(tx: Db, id: number, values: Partial<typeof bots.$inferInsert>): Promise<void> {
  await tx
    .update(bots)
    .set({ ...values, version: sql`${bots.version} + 1`, updatedAt: sql`now()` })
    .where(eq(bots.id, id))
}

/**
 * Books never mix profit on paper, in a demo and in real money, and a balance changes only with a fill.
 * @throws {AppError} 409 if the mode, the kind of account or the start balance of a bot that has traded changes
 */
async function checkBooks(tx: Db, before: Bot, after: Bot): Promise<void> {
  const isElsewhere = after.mode === 'live' && before.connectionId !== after.connectionId
  const isOtherMoney = isElsewhere && (await isDemo(tx, before)) !== (await isDemo(tx, after))
  const changed = [
    ...(before.mode === after.mode ? [] : ['mode']),
    ...(isOtherMoney && before.mode === after.mode ? ['connection_id'] : []),
    ...(isSameStart(before.settings, after.settings) ? [] : ['start_balance']),
  ]
  if (changed.length === 0 || !(await hasTraded(tx, before.id))) return
  const why = isOtherMoney ? ' A demo account and one with real money cannot share books.' : ''
  throw new AppError(
    'resource_conflict',
    `Bot ${before.id} has traded, so its ${changed.join(' and ')} can no longer change.${why} Create a duplicate, which starts with empty books.`,
    {
      details: changed.map((name) => ({
        field: `body.${name}`,
        message: 'cannot change after the bot has traded',
      })),
    },
  )
}

/** The check of the activation has just read the equity of the account, which becomes the start balance of a new bot. */
async function settingsAtStart(tx: Db, bot: Bot): Promise<BotSettings> {
  const { connectionId, settings } = bot
  const isKnown = settings.startBalance !== null || settings.amountRate !== null
  if (isKnown || connectionId === null || (await hasTraded(tx, bot.id))) return settings
  const { equity: amount, equityCurrency: currency } = exchangeConnections
  const [account] = await tx
    .select({ amount, currency })
    .from(exchangeConnections)
    .where(eq(exchangeConnections.id, connectionId))
  if (account?.currency !== settings.amountCurrency) return settings
  const money = decimal(account.amount ?? '-1')
  return money.lt('0') ? settings : { ...settings, startBalance: plain(money) }
}

/** An unknown start balance can become known at any time. */
function isSameStart(before: BotSettings, after: BotSettings): boolean {
  return before.startBalance === null || before.startBalance === after.startBalance
}

/** A bot without a connection counts as one with real money. */
async function isDemo(tx: Db, { connectionId }: Bot): Promise<boolean> {
  if (connectionId === null) return false
  const isIt = and(eq(exchangeConnections.id, connectionId), eq(exchangeConnections.isDemo, true))
  return (await tx.$count(exchangeConnections, isIt)) > 0
}
