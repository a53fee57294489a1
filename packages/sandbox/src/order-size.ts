/**
 * The one definition of a size or an amount of money that an order can have. Code in the sandbox, bot webhooks, AI
 * tools, approvals and settings of bots all hold against it what they are given.
 *
 * The bounds leave room for every order that somebody can mean, and for nothing else:
 *
 * - 10^-18 is one wei, the smallest part of ether. No exchange takes an order of less of anything.
 * - 10^18 is more than the whole supply of the cheapest tokens, of which there are some 10^17, and more money than
 *   there is in any currency.
 *
 * Within them all arithmetic of orders is exact, and a product or quotient of two such figures stays far from where
 * `decimals.ts` of the server ends, at 10^200.
 *
 * Also part of the guest's runtime, so it uses comparisons and templates alone: nothing that guest code could replace.
 */

export const leastOrderSize = 1e-18
export const mostOrderSize = 1e18

/** The same two bounds for a sentence: JavaScript would write the greater one with all its zeros. */
export const orderSizeWords = 'a number from 1e-18 to 1e18'

/** Most characters of a value that a message repeats. */
const shownLimit = 40

/** Also false for NaN, both infinities, -0, and what is no number. */
export function isOrderSize(value: unknown): value is number {
  return typeof value === 'number' && value >= leastOrderSize && value <= mostOrderSize
}

/**
 * What is wrong with a size, with the bounds and the value: the rest of a sentence that begins with the field's name.
 * `null` where an order can have it.
 * @param written what the message shows, where that is not the value itself
 */
export function orderSizeProblem(value: unknown, written: unknown = value): string | null {
  return isOrderSize(value) ? null : `must be ${orderSizeWords}, got ${shown(written)}`
}

/** A value as a message names it. Objects are named by their kind: they may be huge, and may say of themselves what they like. */
function shown(value: unknown): string {
  if (value === 0 && 1 / value < 0) return '-0'
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return `${value}`
  if (typeof value !== 'string')
    return typeof value === 'undefined' ? 'nothing' : `a value of type ${typeof value}`
  let text = ''
  for (let at = 0; at < value.length && at < shownLimit; at++) text += value[at]
  return `"${text}${value.length > shownLimit ? '…' : ''}"`
}
