import type { Dialect } from './dialect.ts'
import { allPages, byClientOrderId, fillPage, ofOrder, validOr } from './lookups.ts'

export const bitget: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w.:/#-]{1,40}$/, (hash) => hash),
  spotBuys: 'limit',
  find: byClientOrderId,
  trades: (account, { id }, symbol) =>
    ofOrder(
      allPages(fillPage, async (last) => {
        const before = last?.id === undefined ? {} : { idLessThan: last.id }
        const page = await account.fetchMyTrades(symbol, undefined, fillPage, { orderId: id, ...before })
        return page.sort((a, b) => Number(BigInt(b.id ?? 0) - BigInt(a.id ?? 0)))
      }),
      id,
    ),
  unsure: /"code":\s*"(40010|40015|40725|45001)"/,
}
