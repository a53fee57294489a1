/** A JSON value. Members that are `undefined` are left out. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

export type JsonObject = { readonly [name: string]: Json | undefined }

/**
 * Writes a JSON value in the one form that RFC 8785 gives it: no spaces, and members in the order of their names.
 * @throws {RangeError} if a number is not finite
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`${value} is no JSON number.`)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
