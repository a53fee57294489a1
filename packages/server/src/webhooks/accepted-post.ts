import { presentSender } from '../accounts/sender.ts'

/** What is stored of a post, whichever kind of webhook has accepted it. */
type AcceptedPost = {
  id: number
  webhookId: number
  receivedAt: Date
  body: string | null
  headers: Record<string, string>
  ip: string
  senderId: number | null
  senderEmail: string | null
  idempotencyKey: string | null
}

/** The part of a delivery that is the same for both kinds of webhooks, as the API shows it. */
export function presentPost(post: AcceptedPost) {
  return {
    id: post.id,
    webhook_id: post.webhookId,
    received_at: post.receivedAt.toISOString(),
    body: post.body,
    headers: post.headers,
    ip: post.ip,
    sender: presentSender(post.senderId === null ? null : { userId: post.senderId, email: post.senderEmail }),
    idempotency_key: post.idempotencyKey,
  }
}
