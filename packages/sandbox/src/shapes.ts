/** Checks of single values in the messages of an executor. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isString = (value: unknown): value is string => typeof value === 'string'

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

export const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)

export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

/** `limit` is in characters. */
export const isTextWithin = (value: unknown, limit: number): value is string =>
  isString(value) && value.length <= limit

export const isOneOf = <T extends string>(value: unknown, names: readonly T[]): value is T =>
  (names as readonly unknown[]).includes(value)

export function isOptional<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined
export function isOptional(value: unknown, is: (value: unknown) => boolean): boolean
export function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value)
}
