/**
 * Trade ids of the service itself. An exchange gives each execution an id of its own, and says its price and fee
 * exactly. The service calculates the executions below, so their price and fee are results of a calculation.
 */

const totalPrefix = 'sum-'
const liquidationPrefix = 'paper-liquidation-'

/** The only execution of a paper order. */
export function paperTradeId(clientOrderId: string): string {
  return `${clientOrderId}-1`
}

/** The liquidation of a paper position that was opened at a time, in Unix ms. */
export function paperLiquidationId(openedAt: number): string {
  return `${liquidationPrefix}${openedAt}`
}

/** The part of an order that the exchange reports only as a total. @param size the size of the whole total */
export function totalTradeId(size: string): string {
  return `${totalPrefix}${size}`
}

export function isTotal(tradeId: string): boolean {
  return tradeId.startsWith(totalPrefix)
}

/** Whether the service calculated the price and the fee of this execution. */
export function isCalculated(tradeId: string): boolean {
  // Client order ids end in the signal and the step: see `follow-signal.ts`. No exchange has trade ids of that form.
  if (tradeId.startsWith(liquidationPrefix)) return true
  return isTotal(tradeId) || /-\d+-(?:o|c\d*)-1$/.test(tradeId)
}
