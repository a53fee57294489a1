/** References between the objects of a deployment: `bot-webhook/alerts` in the place of an id. */
import { AppError } from '../base/errors.ts'
import type { DeployKind } from '../db/schema.ts'

type Settings = Record<string, unknown>

/** The fields of a kind that have ids of other objects, and the kinds of those. */
export type References = Readonly<Record<string, readonly DeployKind[]>>

/** Names an object in references of the same deployment. */
export function referenceTo({ kind, key }: { kind: DeployKind; key: string }): string {
  return `${kind}/${key}`
}

/**
 * Puts ids in the place of references.
 * @param ids what is not in it stays as it is, and so does a reference to an object of another kind
 */
export function resolved(
  settings: Settings,
  references: References,
  ids: ReadonlyMap<string, number>,
): Settings {
  return withReferences(settings, references, (value, kinds) =>
    kinds.some((kind) => value.startsWith(`${kind}/`)) ? (ids.get(value) ?? value) : value,
  )
}

/** @param replace gets each reference that is a text, and the kinds that it may name */
export function withReferences(
  settings: Settings,
  references: References,
  replace: (value: string, kinds: readonly DeployKind[]) => string | number,
): Settings {
  const replaced = Object.entries(references)
    .filter(([field]) => settings[field] !== undefined)
    .map(([field, kinds]) => {
      const one = (value: unknown) => (typeof value === 'string' ? replace(value, kinds) : value)
      const value = settings[field]
      return [field, Array.isArray(value) ? value.map(one) : one(value)]
    })
  return { ...settings, ...Object.fromEntries(replaced) }
}

/**
 * Puts something valid in the place of references to objects that do not exist yet.
 * @param named the references of all objects of the deployment
 * @throws {AppError} 400 for a reference to nothing, or to an object of the wrong kind
 */
export function placeholdersIn(
  settings: Settings,
  references: References,
  named: ReadonlySet<string>,
): Settings {
  // Ids in a list have to differ.
  let placeholder = Number.MAX_SAFE_INTEGER
  const demand = (field: string) => (value: string, kinds: readonly DeployKind[]) => {
    if (named.has(value) && kinds.some((kind) => value.startsWith(`${kind}/`))) return placeholder--
    const message = `must be an id, null, or an object of this deployment such as ${kinds[0]}/alerts; ${value.slice(0, 200)} is none`
    throw new AppError('request_invalid', `Invalid request: body.${field} ${message}.`, {
      details: [{ field: `body.${field}`, message }],
    })
  }
  let replaced = settings
  for (const [field, kinds] of Object.entries(references))
    replaced = withReferences(replaced, { [field]: kinds }, demand(field))
  return replaced
}
