import type { DeliveryRow, ReactionRow } from './rows.ts'
import type { Step, Timeline } from './timeline.ts'

/**
 * Adds why a payload triggered nothing, and for each reaction of the owner that it did not trigger, why it did not.
 * @param reactions those of the owner that are attached to the webhook and that the payload did not trigger
 */
export function addMissingReactions(
  timeline: Timeline,
  delivery: DeliveryRow & { reactions: number },
  reactions: readonly ReactionRow[],
  cause: Step,
): void {
  if (delivery.reactions === 0) {
    const text = 'The payload triggered no reaction.'
    const reason = 'No active reaction was attached to the webhook when the payload arrived.'
    const at = delivery.receivedAt.getTime()
    timeline.add({ kind: 'missing', text, at, reason, ids: { delivery_id: delivery.id } }, cause)
  }
  for (const reaction of reactions) {
    const ids = { delivery_id: delivery.id, strategy_id: reaction.id }
    const text = `The payload did not trigger reaction ${reaction.id}.`
    const reason = `${text} ${whyNot(delivery, reaction)}`
    timeline.add({ kind: 'missing', text, at: delivery.receivedAt.getTime(), reason, ids }, cause)
  }
}

/**
 * The service stores nothing about a reaction that it does not run. What is known of the reaction now tells why, unless it
 * has changed since.
 */
function whyNot({ receivedAt }: DeliveryRow, reaction: ReactionRow): string {
  const { status, updatedAt, createdAt, suspendedUntil, lastViolationAt } = reaction
  if (createdAt > receivedAt) return 'The reaction was created later.'
  const wasSuspended =
    lastViolationAt !== null &&
    suspendedUntil !== null &&
    lastViolationAt <= receivedAt &&
    receivedAt < suspendedUntil
  if (wasSuspended) return `The reaction was suspended until ${suspendedUntil.toISOString()}.`
  if (status === 'INACTIVE' && updatedAt <= receivedAt) return 'The reaction was INACTIVE.'
  if (status === 'INACTIVE') return 'The reaction is INACTIVE, and may have been so when the payload arrived.'
  return 'When the payload arrived, the reaction was INACTIVE, suspended, or not attached to the webhook.'
}
