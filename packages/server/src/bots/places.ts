import { and, eq } from 'drizzle-orm'
import { AppError, invalidField } from '../base/errors.ts'
import type { Catalogue, CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Db } from '../db/database.ts'
import { exchangeConnections } from '../db/schema.ts'
import { holdUsableWebhook } from '../webhooks/access.ts'
import type { Bot } from './bot.ts'

type Connection = Pick<typeof exchangeConnections.$inferSelect, 'id' | 'exchangeId' | 'name' | 'status'>

/** Where a bot trades, and by which account. */
export type Place = Pick<Bot, 'mode' | 'exchangeId' | 'connectionId'>

/** @throws {AppError} 400 for what is no exchange that a bot of this installation could trade on */
export function checkExchange(catalogue: Pick<Catalogue, 'find'>, id: number): CatalogueExchange {
  const exchange = catalogue.find(id)
  if (exchange === undefined) {
    throw invalidField('exchange_id', `names no exchange of the catalogue: ${id}`)
  }
  if (exchange.type !== 'CEX' && exchange.type !== 'SIM') {
    const names = 'must name a centralised exchange or the simulated market'
    throw invalidField('exchange_id', `${names}: ${id} (${exchange.name}) is of type ${exchange.type}`)
  }
  if (!exchange.enabled) {
    throw invalidField(
      'exchange_id',
      `names an exchange that this installation has not enabled: ${exchange.name}`,
    )
  }
  return exchange
}

/** @throws {AppError} 400 for a live bot where nothing is live */
export function checkMode(catalogue: Pick<Catalogue, 'find'>, { mode, exchangeId }: Place): void {
  if (mode === 'live' && catalogue.find(exchangeId)?.type === 'SIM') {
    throw invalidField('mode', 'cannot be live on the simulated market')
  }
}

/**
 * Holds the webhook in place until the bot is attached to it. Whoever holds a bot has locked the account before.
 * @throws {AppError} 400 for one of somebody else who does not share it
 */
export async function holdWebhook(tx: Db, userId: number, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return
  if (!(await holdUsableWebhook(tx, 'bot', userId, id))) {
    throw invalidField('webhook_id', `names no bot webhook that is yours or shared with you: ${id}`)
  }
}

/**
 * Holds the bot's connection as it is until the transaction has ended.
 * @returns `undefined` where the bot has none
 * @throws {AppError} 400 for one of somebody else, or of another exchange
 */
export async function holdConnection(
  tx: Db,
  userId: number,
  { exchangeId, connectionId }: Place,
): Promise<Connection | undefined> {
  if (connectionId === null) return undefined
  const { id, name, status } = exchangeConnections
  const [connection] = await tx
    .select({ id, name, status, exchangeId: exchangeConnections.exchangeId })
    .from(exchangeConnections)
    .where(and(eq(id, connectionId), eq(exchangeConnections.userId, userId)))
    .for('share')
  if (connection === undefined) {
    throw invalidField('connection_id', `names no exchange connection of yours: ${connectionId}`)
  }
  if (connection.exchangeId !== exchangeId) {
    const is = `is of exchange ${connection.exchangeId}, and the bot trades on ${exchangeId}`
    throw invalidField('connection_id', is)
  }
  return connection
}

export type ActivationParts = { catalogue: Pick<Catalogue, 'find'>; isLiveAllowed(): boolean }

/** @throws {AppError} 409 or 403 where a bot could not do its work, were it switched on */
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
    const remedy = 'an administrator can turn it on; a paper bot needs no leave.'
    throw new AppError('access_denied', `Live trading is off for this installation: ${remedy}`)
  }
  if (connection === undefined) {
    throw new AppError('resource_conflict', 'A live bot needs a connection_id while it is ACTIVE.', {
      details: [{ field: 'body.connection_id', message: 'is needed by a live bot' }],
    })
  }
  if (connection.status !== 'ACTIVE') {
    throw new AppError('resource_conflict', `Exchange connection ${connection.id} is switched off.`)
  }
}
