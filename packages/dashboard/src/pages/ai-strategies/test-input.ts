/** What a test run of a prompt is given. */

import { bodyOf, changedFields, type Fields, fieldsOf, testedFields } from './fields.ts'
import type { AiKind, AiStrategy } from './kinds.ts'

export type TestInput = { payload: string; storage: string; lastAction: '' | 'LONG' | 'SHORT' | 'EXIT' }

export const firstInput: TestInput = { payload: '{\n  "price": 100\n}', storage: '', lastAction: '' }

/** The input as the API takes it. The payload is sent as a text, so that no digit of its numbers is lost. */
export function inputBody(kind: AiKind, { payload, storage, lastAction }: TestInput) {
  return {
    ...(kind === 'reaction' ? { payload } : {}),
    storage: storage.trim() === '' ? null : (JSON.parse(storage) as unknown),
    ...(lastAction === '' ? {} : { last_trigger: { action: lastAction } }),
  }
}

export function storageProblem(storage: string): string | null {
  if (storage.trim() === '') return null
  try {
    JSON.parse(storage)
    return null
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`
  }
}

/**
 * The settings of a test whose settings are not saved; `null` if they are, and only the prompt may differ. Then the
 * tokens count in the budget of the strategy.
 */
export function unsavedSettings(strategy: AiStrategy, fields: Fields) {
  const saved = fieldsOf(strategy)
  const changed = new Set(changedFields(fields, saved))
  return testedFields.some((name) => changed.has(name)) ? bodyOf(fields, testedFields) : null
}
