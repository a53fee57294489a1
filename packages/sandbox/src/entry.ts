/**
 * How code wants an action to enter a position. As with a protection, the sandbox checks only the shape, and the host
 * what it means.
 */
import { type GivenLevel, hasOnly, isLevel } from './protection.ts'

export type GivenEntry = {
  type?: GivenLevel
  price?: GivenLevel
  offset?: GivenLevel
  timeout_seconds?: GivenLevel
  on_timeout?: GivenLevel
  chases?: GivenLevel
  max_slippage?: GivenLevel
}

const isEntry = hasOnly({
  ...{ type: isLevel, price: isLevel, offset: isLevel, timeout_seconds: isLevel },
  ...{ on_timeout: isLevel, chases: isLevel, max_slippage: isLevel },
})

/** Whether a value of JSON has the shape of an entry. */
export const isGivenEntry = (value: unknown): value is GivenEntry => isEntry(value)
