/** The first question to a model as a conversation. */

import type { Entry } from '../../parts/conversation.ts'
import type { Preview } from './api.ts'
import { bodyOf, type Fields, testedFields } from './fields.ts'
import type { AiKind } from './kinds.ts'
import { inputBody, type TestInput } from './test-input.ts'

/** What the service is asked, with everything as it is typed. */
export function previewBody(kind: AiKind, fields: Fields, input: TestInput) {
  const {
    connection_id: _connection,
    fallback_id: _fallback,
    needs_approval: _approval,
    change_needs_approval: _ofChanges,
    symbol: _symbol,
    ...settings
  } = bodyOf(fields, testedFields)
  return { ...inputBody(kind, input), ...settings, prompt: fields.prompt }
}

export function entriesOf({ messages }: Preview): Entry[] {
  return messages.flatMap(({ role, content }) => {
    const text = content.map((part) => ('text' in part ? part.text : '')).join('')
    const pictures = content.flatMap((part) => ('data' in part ? [part.data] : []))
    return [
      { ms: 0, type: 'prompt', role, text },
      ...pictures.map((picture) => ({ ms: 0, type: 'chart', text: '', picture })),
    ]
  })
}

/** The chart in it, a PNG in Base64. */
export function pictureIn(preview: Preview): string | null {
  const parts = preview.messages.flatMap(({ content }) => content)
  return parts.flatMap((part) => ('data' in part ? [part.data] : []))[0] ?? null
}
