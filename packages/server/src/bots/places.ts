import { and, eq } from 'drizzle-orm'
import { AppError, invalidField } from '../base/errors.ts'
import type { Catalogue, CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Db } from '../db/database.ts'
import { exchangeConnections } from '../db/schema.ts'
import { holdUsableWebhook } from '../webhooks/access.ts'
import type { Bot, BotChanges } from './bot.ts'

type Connection = Pick<typeof exchangeConnections.$inferSelect, 'id' | 'exchangeId' | 'name' | 'status'>

/** Where a bot trades: on paper or live, on which exchange, and with which account. */
export type Place = Pick<Bot, 'mode' | 'exchangeId' | 'connectionId'>

/** @throws {AppError} 400 if bots of this installation cannot trade on the exchange */
export function checkExchange(catalogue: Pick<Catalogue, 'find'>, id: number): CatalogueExchange {
  const exchange = catalogue.find(id)
  if (exchange === undefined) {
    throw invalidField('exchange_id', `must be the id of an exchange in the catalogue, got ${id}`)
  }
  if (exchange.type !== 'CEX' && exchange.type !== 'SIM') {
    const allowed = 'must name a centralised exchange or the simulated market'
    throw invalidField('exchange_id', `${allowed}; ${id} (${exchange.name}) is of type ${exchange.type}`)
  }
  if (!exchange.enabled) {
    throw invalidField(
      'exchange_id',
      `must name an enabled exchange; this installation has not enabled ${exchange.name}`,
    )
  }
  return exchange
}

/** @throws {AppError} 400 for a live bot on the simulated market */
export function checkMode(catalogue: Pick<Catalogue, 'find'>, { mode, exchangeId }: Place): void {
  if (mode === 'live' && catalogue.find(exchangeId)?.type === 'SIM') {
    throw invalidField('mode', 'cannot be live on the simulated market')
  }
}

/**
 * Locks the webhook, so that nobody deletes it before the bot is attached. The caller has locked the account before.
 * @throws {AppError} 400 if the webhook belongs to another user who does not share it
 */
export async function lockWebhook(tx: Db, userId: number, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return
  if (!(await holdUsableWebhook(tx, 'bot', userId, id))) {
    throw invalidField('webhook_id', `must be a bot webhook that is yours or shared with you, got ${id}`)
  }
}

/**
 * Locks the bot's connection until the transaction ends.
 * @returns `undefined` if the bot has none
 * @throws {AppError} 400 if the connection belongs to another user, or is for another exchange
 */
export async function lockConnection(
  tx: Db,
  userId: number,
  { exchangeId, connectionId }: Place,
): Promise<Connection | undefined> {
  if (connectionId === null) return undefined
  const connection = await findConnection(tx, userId, connectionId)
  if (connection.exchangeId !== exchangeId) {
    throw invalidField(
      'connection_id',
      `must be for the exchange of the bot: connection ${connectionId} is for exchange ${connection.exchangeId}, and the bot trades on exchange ${exchangeId}`,
    )
  }
  return connection
}

/**
 * The exchange that a request means: a connection is for one exchange.
 * @returns `undefined` if it means none
 * @throws {AppError} 400 if the connection belongs to another user
 */
export async function exchangeMeant(
  db: Db,
  userId: number,
  { exchangeId, connectionId }: Pick<BotChanges, 'exchangeId' | 'connectionId'>,
): Promise<number | undefined> {
  if (exchangeId !== undefined || typeof connectionId !== 'number') return exchangeId
  return (await findConnection(db, userId, connectionId)).exchangeId
}

/**
 * Finds a connection, and locks it until the transaction ends.
 * @throws {AppError} 400 if it belongs to another user
 */
async function findConnection(db: Db, userId: number, connectionId: number): Promise<Connection> {
  const { id, name, status, exchangeId } = exchangeConnections
  const [connection] = await db
    .select({ id, name, status, exchangeId })
    .from(exchangeConnections)
    .where(and(eq(id, connectionId), eq(exchangeConnections.userId, userId)))
    .for('share')
  if (connection !== undefined) return connection
  throw invalidField('connection_id', `must be an exchange connection of yours, got ${connectionId}`)
}

export type ActivationParts = { catalogue: Pick<Catalogue, 'find'>; isLiveAllowed(): boolean }

/** @throws {AppError} 409 or 403 if a bot at this place cannot be `ACTIVE` */
export function checkActivation(
  { catalogue, isLiveAllowed }: ActivationParts,
  place: Place,
  connection: Connection | undefined,
): void {
  const exchange = catalogue.find(place.exchangeId)
  if (exchange === undefined || !exchange.enabled) {
    const name = exchange?.name ?? `exchange ${place.exchangeId}`
    throw new AppError('resource_conflict', `This installation has not enabled ${name}.`)
  }
  if (place.mode === 'paper') return
  if (!isLiveAllowed()) {
    const remedy = 'An administrator can switch it on. Paper bots work without it.'
    throw new AppError('access_denied', `Live trading is switched off on this installation. ${remedy}`)
  }
  if (connection === undefined) {
    throw new AppError(
      'resource_conflict',
      'A live bot needs an exchange connection (connection_id) to be ACTIVE.',
      {
        details: [{ field: 'body.connection_id', message: 'is required for a live bot' }],
      },
    )
  }
  if (connection.status !== 'ACTIVE') {
    throw new AppError('resource_conflict', `Exchange connection ${connection.id} is switched off.`)
  }
}
