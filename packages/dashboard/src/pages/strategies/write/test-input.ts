/** What a test run is given, as the user enters it. */

import { plainText } from '../../../base/text.ts'

export type StorageChoice = 'stored' | 'empty' | 'typed'
export type LastAction = 'present' | 'none' | 'LONG' | 'SHORT' | 'EXIT'
export type HttpMode = 'read' | 'all' | 'none'

/** Where a payload was taken from: a delivery, or what the user keeps under a name. */
export type PayloadSource = { kind: 'delivery'; id: number } | { kind: 'kept'; id: number; name: string }

export type TestInput = {
  payload: string
  /** `null`: typed. */
  source: PayloadSource | null
  /** What came with the payload, if it came in. */
  sent: { headers: Record<string, string>; ip: string } | null
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
  price: '',
  storage: 'stored',
  typedStorage: 'null',
  lastAction: 'present',
  lastPrice: '',
  http: 'read',
}

export type TestBody = {
  code: string
  payload?: unknown
  headers?: Record<string, string>
  ip?: string
  price?: number
  storage?: unknown
  last_trigger?: { action: 'LONG' | 'SHORT' | 'EXIT' | null; price: number | null; at: string | null }
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
  const hasAction = input.lastAction !== 'present' && input.lastAction !== 'none'
  if (hasAction && input.lastPrice.trim() !== '' && !isPrice(input.lastPrice)) problems.lastPrice = notPrice
  return problems
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
  if (input.price.trim() !== '') body.price = Number(input.price)
  if (input.storage === 'empty') body.storage = null
  if (input.storage === 'typed') body.storage = JSON.parse(input.typedStorage)
  if (input.lastAction === 'none') body.last_trigger = { action: null, price: null, at: null }
  else if (input.lastAction !== 'present') {
    const price = input.lastPrice.trim() === '' ? null : Number(input.lastPrice)
    body.last_trigger = { action: input.lastAction, price, at: now.toISOString() }
  }
  return body
}

/** Says in a line which input a test run had. */
export function describeInput(
  input: TestInput,
  hasPayload: boolean,
  present: { usesPrice: boolean },
): string {
  const parts: string[] = []
  if (hasPayload) parts.push(describeSource(input.source))
  if (input.price.trim() !== '') parts.push(`the price ${input.price.trim()}`)
  else if (present.usesPrice) parts.push('the current price')
  parts.push(
    { stored: 'the stored value', empty: 'an empty storage', typed: 'the typed storage' }[input.storage],
  )
  if (input.lastAction === 'none') parts.push('no last action')
  else if (input.lastAction !== 'present') parts.push(`${input.lastAction} as the last action`)
  parts.push({ read: 'only GET requests', all: 'every request sent', none: 'no requests sent' }[input.http])
  return parts.join(', ')
}

function describeSource(source: PayloadSource | null): string {
  if (source === null) return 'the typed payload'
  return source.kind === 'delivery'
    ? `the payload of delivery ${source.id}`
    : `the test payload “${plainText(source.name)}”`
}
