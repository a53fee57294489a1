import { createHash } from 'node:crypto'

/** A response body that is the same for everyone, with the entity tag of its bytes. */
export type TaggedAnswer = { body: Buffer; etag: string }

/** Characters of a tag in Base64url: 96 bits, so that two bodies never share one by chance. */
const tagLength = 16

export function answerOf(value: unknown): TaggedAnswer {
  return tagged(Buffer.from(JSON.stringify(value)))
}

/** Adds the tag to bytes. */
export function tagged(body: Buffer): TaggedAnswer {
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, tagLength)
  return { body, etag: `"${tag}"` }
}

/**
 * Whether the client already has this answer, by its `If-None-Match` header: `*`, or a list that contains this tag. This
 * is the weak comparison of RFC 9110, section 13.1.2: a proxy that compresses turns `"x"` into `W/"x"`.
 */
export function isKnown(answer: TaggedAnswer, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  // A tag contains no quotes, so a match with its quotes is a member of the list.
  return ifNoneMatch.trim() === '*' || ifNoneMatch.includes(answer.etag)
}
