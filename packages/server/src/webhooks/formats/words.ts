/** Words that several formats have in common. */
import { readLevel, WrongLevel } from '../../trading/protection/levels.ts'
import { readDistance } from '../../trading/protection/settings.ts'
import { Wrong } from '../payload-reader.ts'
import { readSize } from '../payload-values.ts'

export type Position = 'long' | 'short' | 'flat'

/** Reads one of the words, in any case. */
export function wordIn<const Word extends string>(words: readonly Word[]): (value: unknown) => Word {
  return (value) => {
    const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined
    const word = words.find((each) => each === text)
    if (word === undefined) throw new Wrong(`must be one of: ${words.join(', ')}`)
    return word
  }
}

export const readPosition = wordIn(['long', 'short', 'flat'])

/** An amount that may be zero, which counts as absent. */
export function readAmount(value: unknown): number | undefined {
  return isZero(value) ? undefined : readSize(value)
}

/** A price in quote currency, as a number; zero counts as absent. */
export function readPrice(value: unknown): number | undefined {
  return isZero(value) ? undefined : readSize(value)
}

/** @throws {Wrong} unless it is a price */
export function priceLevel(value: unknown): string {
  return asWrong(() => readLevel(value, ['price']))
}

/** A number of percent, as a level: `2%`. */
export function percentLevel(value: unknown): string {
  return asWrong(() => readLevel(withSign(value), ['percent']))
}

/** As {@link percentLevel}, less than 100: a stop further away would be below zero. */
export function stopPercent(value: unknown): string {
  return asWrong(() => readDistance(withSign(value)))
}

function withSign(value: unknown): unknown {
  const isText = typeof value === 'string' && value.length <= 64
  if (typeof value !== 'number' && !isText) return value
  return `${String(value).trim().replace(/%$/, '')}%`
}

/** @throws {Wrong} with the message of a {@link WrongLevel} */
function asWrong<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof WrongLevel) throw new Wrong(error.message)
    throw error
  }
}

export function isZero(value: unknown): boolean {
  if (typeof value === 'number') return value === 0
  return typeof value === 'string' && value.length <= 64 && /^\s*[+-]?0+(?:\.0*)?\s*$/.test(value)
}
