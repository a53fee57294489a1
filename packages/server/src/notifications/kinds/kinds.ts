import type { EndpointKind } from '../../db/schema.ts'
import { discord } from './discord.ts'
import { type ChatFields, type ChatKind, checkFields } from './kind.ts'
import { ntfy } from './ntfy.ts'
import { pushover } from './pushover.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'

/** The chat services that an endpoint can send to. A new one is a file here, and a line. */
export const chatKinds = { telegram, discord, slack, ntfy, pushover } satisfies Record<string, ChatKind>

export type ChatKindName = keyof typeof chatKinds

/** What an endpoint can be: an address that gets signed JSON, a chat, or the mail address of its owner. */
export const endpointKinds = [
  'webhook',
  ...(Object.keys(chatKinds) as ChatKindName[]),
  'email',
] as const satisfies EndpointKind[]

export function chatKindOf(kind: EndpointKind): ChatKind | undefined {
  return Object.hasOwn(chatKinds, kind) ? chatKinds[kind as ChatKindName] : undefined
}

/** @throws {AppError} 400 for a field that is missing, wrong, or of another kind */
export function checkPlace(kind: EndpointKind, fields: ChatFields): void {
  const required = kind === 'webhook' ? (['url'] as const) : []
  checkFields(kind, chatKindOf(kind) ?? { required, optional: [], formats: {} }, fields)
}

/** Names where an endpoint sends to, without a secret. */
export function receiverOf(kind: EndpointKind, fields: ChatFields): string {
  if (kind === 'email') return 'your mail address'
  return chatKindOf(kind)?.receiver(fields) ?? new URL(fields.url ?? '').host
}
