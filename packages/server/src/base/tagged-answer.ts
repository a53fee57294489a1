import { createHash } from 'node:crypto'

/** A response body that is the same for everybody, with the entity tag that names its bytes. */
export type TaggedAnswer = { body: Buffer; etag: string }

/** Bytes of a tag in Base64url: 96 bits, so that two bodies never share one by chance. */
const tagLength = 16

export function answerOf(value: unknown): TaggedAnswer {
  return tagged(Buffer.from(JSON.stringify(value)))
}

/** Of bytes as they are. */
export function tagged(body: Buffer): TaggedAnswer {
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, tagLength)
  return { body, etag: `"${tag}"` }
}

/**
 * Whether the client has this answer already, by its `If-None-Match` header: `*`, or a list with this tag in it.
 * The comparison is the weak one of RFC 9110, section 13.1.2: a proxy that compresses makes `W/"x"` of `"x"`.
 */
export function isKnown(answer: TaggedAnswer, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  // A tag has no quotes inside, so that finding ours with its quotes is finding it as a member of the list.
  return ifNoneMatch.trim() === '*' || ifNoneMatch.includes(answer.etag)
}
