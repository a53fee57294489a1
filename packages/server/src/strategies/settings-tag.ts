import { createHash } from 'node:crypto'
import { type TObject, type TProperties, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import type { ListedStrategy } from './strategy.ts'

/** The condition of a request: any current state will do, or one with one of these tags. */
export type IfMatch = '*' | { tags: string[] }

type Permission =
  | 'needsApproval'
  | 'approvalMinutes'
  | 'tools'
  | 'mayChange'
  | 'changeNeedsApproval'
  | 'sendEmail'
type Tagged = Pick<ListedStrategy, 'name' | 'folderId' | 'isPublic'> & {
  savedVersion: number
  llm: Pick<NonNullable<ListedStrategy['llm']>, Permission> | null
}

/**
 * Settings that a tag covers, and that no version has: they do not change what runs, or they are permissions of a model,
 * which no version gives back.
 */
export const unversioned = [
  ...(['name', 'folder_id', 'visibility', 'needs_approval', 'approval_minutes', 'tools'] as const),
  ...(['may_change', 'change_needs_approval', 'send_email'] as const),
] as const

export function isUnversioned(name: string): boolean {
  return (unversioned as readonly string[]).includes(name)
}

/**
 * The entity tag of the settings of a strategy: it changes with each save that changes one. It starts with the number of
 * the version, so that a refusal can say what has changed since. It does not cover what runs leave.
 */
export function tagOf({ savedVersion, name, folderId, isPublic, llm }: Tagged): string {
  const permissions = [
    ...[llm?.needsApproval, llm?.approvalMinutes, llm?.tools],
    ...[llm?.mayChange, llm?.changeNeedsApproval, llm?.sendEmail],
  ]
  const others = JSON.stringify([name, folderId, isPublic, ...permissions])
  return `"${savedVersion}-${createHash('sha256').update(others).digest('base64url').slice(0, 12)}"`
}

/** The number of the version that a tag of this service starts with. */
export function versionOf(tag: string): number | undefined {
  const digits = /^"(\d{1,15})[-"]/.exec(tag)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

export const IfMatchHeader = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Saves only if the settings still have this `ETag`, or one of several. The number of a version in quotes, such as `"5"`, stands for the settings that are in versions. Otherwise the response is 409, with what has changed.',
    }),
  ),
})

/** The schema of an answer with the tag in its header `ETag`. */
export function tagged<Fields extends TProperties>(record: TObject<Fields>): TObject<Fields> {
  const ETag = { type: 'string', description: 'Of the settings, for `If-Match`.' }
  return Type.Object(record.properties, { headers: { ETag } })
}

const entityTag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\u{10ffff}]*"`
/** RFC 9110, section 5.6.1: a recipient accepts empty elements of a list. */
const listOfTags = new RegExp(String.raw`^[\t ,]*${entityTag}(?:[\t ]*,[\t ,]*${entityTag})*[\t ,]*$`, 'u')

/**
 * Reads the header `If-Match`.
 * @returns `undefined` without the header
 * @throws {AppError} 400 if it is neither `*` nor a list of entity tags
 */
export function readIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  if (!listOfTags.test(header)) {
    const message = 'must be * or a list of entity tags in quotes, such as "5-VYkp2CZQjfrw" or "5"'
    throw new AppError('request_invalid', `Invalid request: headers.if-match ${message}.`, {
      details: [{ field: 'headers.if-match', message }],
    })
  }
  return { tags: header.match(new RegExp(entityTag, 'gu'))! }
}

/**
 * The strong comparison of RFC 9110, section 13.1.1: a weak tag never matches. A tag may also be the number of a version
 * alone, such as `"5"`, for clients that know a version but have not read the settings.
 */
export function matches(ifMatch: IfMatch, current: Tagged): boolean {
  if (ifMatch === '*') return true
  return ifMatch.tags.includes(tagOf(current)) || ifMatch.tags.includes(`"${current.savedVersion}"`)
}
