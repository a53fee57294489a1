/** What a backtest may assume about its market: the rules that the command and the service share. */
import { decimal, plain } from '../base/decimals.ts'

/** Without a size step, any order is possible that the books can count. */
export const leastSize = '0.00000001'
/** The maintenance margin of the lowest tier of a large market at several exchanges. */
export const usualMaintenance = '0.005'
export const mostFundingHours = 168

/** A decimal number that is not negative; `null` for anything else. */
export function readAmount(given: string): string | null {
  return /^\d{1,18}(\.\d{1,18})?$/.test(given) ? plain(decimal(given)) : null
}

/** Whether a decimal is above 0 and at most 1. */
export function isShare(amount: string): boolean {
  return decimal(amount).gt('0') && decimal(amount).lte('1')
}
