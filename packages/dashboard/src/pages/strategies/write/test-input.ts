/** What a test run is given, as the user enters it. */

import type { Run } from '@tickwright/client'
import { plainText } from '../../../base/text.ts'

/** What the record of a run has of what its code saw. `state` is `null` if it is not kept. */
export type PastRun = {
  id: number
  price: NonNullable<Run['seen']>['price']
  state: NonNullable<Run['seen']>['state']
}

/** `past`: what the past run saw. */
export type StorageChoice = 'stored' | 'past' | 'empty' | 'typed'
export type LastAction = 'present' | 'past' | 'none' | 'LONG' | 'SHORT' | 'EXIT'
export type HttpMode = 'read' | 'all' | 'none'

/** Where a payload was taken from: a delivery, or what the user keeps under a name. */
export type PayloadSource = { kind: 'delivery'; id: number } | { kind: 'kept'; id: number; name: string }

export type TestInput = {
  payload: string
  /** `null`: typed. */
  source: PayloadSource | null
  /** What came with the payload, if it came in. */
  sent: { headers: Record<string, string>; ip: string } | null
  /** The run that this began with; `null` if there is none. */
  past: PastRun | null
  /** Nothing: the current price. */
  price: string
  storage: StorageChoice
  typedStorage: string
  lastAction: LastAction
  lastPrice: string
  http: HttpMode
}

export const firstInput: TestInput = {
  payload: '{}',
  source: null,
  sent: null,
  past: null,
  price: '',
  storage: 'stored',
  typedStorage: 'null',
  lastAction: 'present',
  lastPrice: '',
  http: 'read',
}

type ActionName = 'LONG' | 'SHORT' | 'EXIT'

type Trigger = { action: ActionName | null; price: number | null; at: string | null }

export type TestBody = {
  code: string
  payload?: unknown
  headers?: Record<string, string>
  ip?: string
  price?: number | NonNullable<PastRun['price']>
  storage?: unknown
  last_trigger?: Trigger
  http: HttpMode
}

/** What is wrong with each field. */
export type InputProblems = Partial<Record<'payload' | 'price' | 'typedStorage' | 'lastPrice', string>>

export function problemsOf(input: TestInput, hasPayload: boolean): InputProblems {
  const problems: InputProblems = {}
  const notJson = hasPayload && whyNotJson(input.payload)
  if (notJson) problems.payload = notJson
  if (input.price.trim() !== '' && !isPrice(input.price)) problems.price = notPrice
  const notStorage = input.storage === 'typed' && whyNotJson(input.typedStorage)
  if (notStorage) problems.typedStorage = notStorage
  if (isTyped(input.lastAction) && input.lastPrice.trim() !== '' && !isPrice(input.lastPrice))
    problems.lastPrice = notPrice
  return problems
}

/** Whether the user has entered the last action. */
export function isTyped(action: LastAction): action is ActionName {
  return action === 'LONG' || action === 'SHORT' || action === 'EXIT'
}

const notPrice = 'A price is a number above 0, such as 64000.5.'

function isPrice(text: string): boolean {
  return /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) && Number(text) > 0 && Number.isFinite(Number(text))
}

function whyNotJson(text: string): string | false {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}

/**
 * The request of a test run. The payload is sent as a text, so that the code gets it digit by digit.
 * @param now for the time of the last action, which the user does not enter
 */
export function bodyOf(input: TestInput, code: string, hasPayload: boolean, now: Date): TestBody {
  const body: TestBody = { code, http: input.http }
  if (hasPayload) {
    body.payload = input.payload
    Object.assign(body, input.sent)
  }
  if (input.price.trim() !== '') body.price = hasPastPrice(input) ? input.past.price : Number(input.price)
  const seen = input.past?.state
  if (input.storage === 'past' && seen) body.storage = seen.storage
  if (input.storage === 'empty') body.storage = null
  if (input.storage === 'typed') body.storage = JSON.parse(input.typedStorage)
  if (input.lastAction === 'past' && seen) body.last_trigger = seen.last_trigger as Trigger
  else if (input.lastAction === 'none') body.last_trigger = { action: null, price: null, at: null }
  else if (isTyped(input.lastAction)) {
    const price = input.lastPrice.trim() === '' ? null : Number(input.lastPrice)
    body.last_trigger = { action: input.lastAction, price, at: now.toISOString() }
  }
  return body
}

/** Whether the price is the one that the past run saw. */
function hasPastPrice(
  input: TestInput,
): input is TestInput & { past: { price: NonNullable<PastRun['price']> } } {
  return input.past?.price != null && input.price.trim() === String(input.past.price.price)
}

/** Says in a line which input a test run had. */
export function describeInput(
  input: TestInput,
  hasPayload: boolean,
  present: { usesPrice: boolean },
): string {
  const parts: string[] = []
  if (hasPayload) parts.push(describeSource(input.source))
  const ofRun = `of run ${input.past?.id}`
  if (input.price.trim() !== '')
    parts.push(`the price ${input.price.trim()}${hasPastPrice(input) ? ` ${ofRun}` : ''}`)
  else if (present.usesPrice) parts.push('the current price')
  parts.push(
    {
      stored: 'the stored value',
      past: `the storage ${ofRun}`,
      empty: 'an empty storage',
      typed: 'the typed storage',
    }[input.storage],
  )
  if (input.lastAction === 'past') parts.push(`the last action ${ofRun}`)
  else if (input.lastAction === 'none') parts.push('no last action')
  else if (isTyped(input.lastAction)) parts.push(`${input.lastAction} as the last action`)
  parts.push({ read: 'only GET requests', all: 'every request sent', none: 'no requests sent' }[input.http])
  return parts.join(', ')
}

function describeSource(source: PayloadSource | null): string {
  if (source === null) return 'the typed payload'
  return source.kind === 'delivery'
    ? `the payload of delivery ${source.id}`
    : `the test payload “${plainText(source.name)}”`
}
