import { type Static, Type } from 'typebox'
import { eventsRoute } from '../http/crud.ts'
import { Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { DemoOrNull } from './demo.ts'
import { eventFilters, ofBot, readFilter } from './record-query-routes.ts'
import type { Payment, Records } from './records.ts'
import { asMoney, exactly } from './shown-figures.ts'

const PaymentQuery = Type.Object({ ...eventFilters, ...ofBot })

const PaymentRecord = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  demo: DemoOrNull,
  symbol: Type.String(),
  kind: Type.Enum(['funding']),
  payment_id: Type.String({ description: 'The id that the exchange gave the payment.' }),
  asset: Type.String(),
  amount: Type.String({ description: 'In `asset`. Negative if the bot paid.' }),
  value: Type.String({ description: 'In quote currency.' }),
  paid_at: Timestamp,
})

/** What the positions of all bots of a user paid or received without an execution. */
export function paymentRoutes(records: Records): Routes {
  return (scope) =>
    eventsRoute(scope, '/payment', {
      tags: ['Orders and positions'],
      summary: 'List the funding payments of your bots',
      description:
        'The newest first. Perpetual futures pay funding to each other, usually every few hours. `realised` of the position includes it. Payments of deleted bots stay in the list.',
      item: PaymentRecord,
      query: PaymentQuery,
      list: async (userId, window, query) =>
        (await records.payments(userId, readFilter(query), window)).map(presentPayment),
      count: (userId, query) => records.countPayments(userId, readFilter(query)),
    })
}

function presentPayment(payment: Payment): Static<typeof PaymentRecord> {
  return {
    id: payment.id,
    bot_id: payment.botId,
    demo: payment.isDemo,
    symbol: payment.symbol,
    kind: payment.kind,
    payment_id: payment.paymentId,
    asset: payment.asset,
    amount: exactly(payment.amount),
    value: asMoney(payment.value),
    paid_at: payment.paidAt.toISOString(),
  }
}
