import { Type } from 'typebox'

/** A sender to a webhook who is not its owner. */
export type KnownSender = { userId: number; email: string | null }

/** The sender, as the owner of the webhook sees it. */
export const SenderRecord = Type.Union(
  [
    Type.Literal('owner'),
    Type.Object({
      user_id: Type.Integer(),
      email: Type.Union([Type.String(), Type.Null()], {
        description: 'null if the user was deleted.',
      }),
    }),
  ],
  {
    description: '`owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook.',
  },
)

/** @param sender `null` for the owner */
export function presentSender(sender: KnownSender | null) {
  return sender === null ? ('owner' as const) : { user_id: sender.userId, email: sender.email }
}
