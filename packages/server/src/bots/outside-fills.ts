/** Executions that no order of the bot caused. */
import { decimal, plain, zero } from '../base/decimals.ts'
import type { Db } from '../db/database.ts'
import { type FillKind, fills } from '../db/schema.ts'
import { applyExecution, averagePrice } from '../trading/ledger.ts'
import type { BookingTerms, Execution, Position, Side } from '../trading/types.ts'
import { writePosition } from './position-rows.ts'
import { countAdded } from './protection/opened.ts'
import { asMoney, asPrice, exactly } from './shown-figures.ts'

/** An execution that no order of the bot caused. */
export type BookedOutside = Execution & { side: Side; kind: Exclude<FillKind, 'order'> }

type OutsideFills = { symbol: string; executions: readonly BookedOutside[]; terms: BookingTerms }

/** Books each execution that is not in the books yet. */
export async function bookOutside(
  tx: Db,
  of: { botId: number; userId: number },
  before: Position,
  { symbol, executions, terms }: OutsideFills,
): Promise<{ after: Position; booked: BookedOutside[]; ids: number[] }> {
  let position = before
  const booked: BookedOutside[] = []
  const ids: number[] = []
  for (const execution of executions) {
    const { side, kind, tradeId, size, price, fee, feeAsset, filledAt } = execution
    const applied = applyExecution(position, execution, side, terms)
    const values = { tradeId, size, price, fee, feeAsset, filledAt: new Date(filledAt) }
    const added = await tx
      .insert(fills)
      .values({ ...of, ...values, orderId: null, kind, symbol, side, realised: applied.realised })
      .onConflictDoNothing()
      .returning({ id: fills.id })
    if (added.length === 0) continue
    position = applied.position
    booked.push(execution)
    ids.push(added[0]!.id)
  }
  if (booked.length > 0) {
    await writePosition(tx, { ...of, symbol }, position)
    await countAdded(tx, { botId: of.botId, symbol, before, after: position })
  }
  return { after: position, booked, ids }
}

/** What the owner hears if a position was reduced without the bot. */
export function outsideClose(before: Position, after: Position, booked: readonly BookedOutside[]) {
  const against = before.side === 'long' ? 'sell' : 'buy'
  const closes = booked.filter(({ side, kind }) => side === against && kind !== 'adopted')
  const last = closes.at(-1)
  if (before.side === null || last === undefined) return undefined
  const isForced = closes.some(({ kind }) => kind !== 'external')
  const size = closes.reduce((sum, one) => sum.plus(one.size), zero)
  const data = {
    kind: closes.find(({ kind }) => kind !== 'external')?.kind ?? 'external',
    side: before.side,
    size: exactly(plain(size)),
    price: asPrice(averagePrice(closes)),
    realised: asMoney(plain(decimal(after.realised).minus(decimal(before.realised)))),
    position_side: after.side,
    position_size: exactly(after.size),
    at: new Date(last.filledAt).toISOString(),
  }
  return { type: isForced ? ('position.liquidated' as const) : ('position.closed_outside' as const), data }
}
