/** @throws {TypeError} that names the argument and says what it must be */
export function need(holds: boolean, name: string, what: string): asserts holds {
  if (!holds) throw new TypeError(`${name} must be ${what}`)
}

/** Whether a value is an object with named fields, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function needRecord(value: unknown, name: string): asserts value is Record<string, unknown> {
  need(isRecord(value), name, 'an object')
}

export function needFunction(value: unknown, name: string): void {
  need(typeof value === 'function', name, 'a function')
}

export function needText(value: unknown, name: string): asserts value is string {
  need(typeof value === 'string' && value !== '', name, 'a string that is not empty')
}
