import { Type } from 'typebox'

/** Who sent something to a webhook, where that was not its owner. */
export type KnownSender = { userId: number; email: string | null }

/** As its owner is shown who sent something. */
export const SenderRecord = Type.Union(
  [
    Type.Literal('owner'),
    Type.Object({
      user_id: Type.Integer(),
      email: Type.Union([Type.String(), Type.Null()], {
        description: 'null where there is no such user any more.',
      }),
    }),
  ],
  { description: '`owner`: you, or whoever has your URL. Else the user whom you share the webhook with.' },
)

/** @param sender `null` for the owner */
export function presentSender(sender: KnownSender | null) {
  return sender === null ? ('owner' as const) : { user_id: sender.userId, email: sender.email }
}
