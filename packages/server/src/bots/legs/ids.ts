/** The names of legs and of the places that they belong to. */
import { createHash } from 'node:crypto'
import type { LegRequest } from '../../trading/protection/leg-venue.ts'
import type { WantedLeg } from '../../trading/protection/legs.ts'
import type { LegsRow, StoredLeg } from './store.ts'

/** It follows from position and generation, so that two nodes never store different ids for the same leg. */
export function legIdOf(
  prefix: string,
  {
    botId,
    symbol,
    openedAt,
    generation,
  }: { botId: number; symbol: string; openedAt: number; generation: number },
  role: 'stop' | 'target',
): string {
  const digest = createHash('sha256').update(`${botId} ${symbol} ${openedAt} ${role} ${generation}`).digest()
  return `${prefix}-${role[0]}${digest.readBigUInt64BE().toString(36)}`
}

/** What the exchange gets of it. */
export function requestOf(leg: StoredLeg): LegRequest {
  const { clientId, exchangeId, symbol, side, size, price, sentAt, target, oco, ocoClientId } = leg
  return {
    ...{ clientId, symbol, side, size, price, sentAt },
    ...(exchangeId !== null && { exchangeId }),
    ...(target !== null && { isTarget: true }),
    ...(oco != null && ocoClientId !== null && { oco: { price: oco.price, clientId: ocoClientId } }),
  }
}

/** A position of a bot, with its stop; or a target of it. */
export function keyOf(
  { botId, symbol }: Pick<LegsRow, 'botId' | 'symbol'>,
  { target }: Pick<WantedLeg, 'target'> = { target: null },
): string {
  return target === null ? `${botId} ${symbol}` : `${botId} ${symbol}#${target}`
}

/** The market of a bot: the accounts of two bots may differ in what they can keep. */
export function marketOf({ botId, exchangeId, symbol }: LegsRow): string {
  return `${botId} ${exchangeId} ${symbol}`
}
