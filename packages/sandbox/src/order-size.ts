/**
 * The only definition of a size or an amount of money that an order can have. Code in the sandbox, bot webhooks, AI
 * tools, approvals and settings of bots all use it.
 *
 * The bounds allow every order that makes sense, and no others:
 *
 * - 10^-18 is one wei, the smallest unit of ether. No exchange accepts a smaller order of anything.
 * - 10^18 is more than the whole supply of the cheapest tokens, about 10^17, and more money than exists in any currency.
 *
 * Within these bounds, all arithmetic of orders is exact. A product or quotient of two such figures stays far below the
 * limit of `decimals.ts` in the server, 10^200.
 *
 * This file is also part of the guest's runtime. It uses only comparisons and templates, which guest code cannot replace.
 */

export const leastOrderSize = 1e-18
export const mostOrderSize = 1e18

/** Both bounds as words: JavaScript would write the greater one with all its zeros. */
export const orderSizeWords = 'a number from 1e-18 to 1e18'

/** A message repeats at most this many characters of a value. */
const shownLimit = 40

/** False for NaN, both infinities, -0, and for values that are not numbers. */
export function isOrderSize(value: unknown): value is number {
  return typeof value === 'number' && value >= leastOrderSize && value <= mostOrderSize
}

/**
 * The problem with a size: the rest of a sentence that begins with the name of the field, with the bounds and the value.
 * `null` if an order can have the size.
 * @param written the text that the message shows instead of the value
 */
export function orderSizeProblem(value: unknown, written: unknown = value): string | null {
  return isOrderSize(value) ? null : `must be ${orderSizeWords}, got ${shown(written)}`
}

/** A value as a message shows it. Objects are named by their type: they can be huge, and their `toString` can lie. */
function shown(value: unknown): string {
  if (value === 0 && 1 / value < 0) return '-0'
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return `${value}`
  if (typeof value !== 'string')
    return typeof value === 'undefined' ? 'nothing' : `a value of type ${typeof value}`
  let text = ''
  for (let at = 0; at < value.length && at < shownLimit; at++) text += value[at]
  return `"${text}${value.length > shownLimit ? '…' : ''}"`
}
