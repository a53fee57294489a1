/** A JSON schema, as far as requests use it. */
export type Schema = Record<string, unknown>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}

/**
 * Rebuilds a schema from the bottom up and leaves the given one as it is.
 * @param change gets a copy of each schema, whose parts are changed already. `isAlternative` says whether it is in, or
 * below, a list of alternatives.
 */
export function mapSchema(
  schema: Schema,
  change: (copy: Schema, isAlternative: boolean) => Schema,
  isAlternative = false,
): Schema {
  const copy: Schema = { ...schema }
  for (const word of ['anyOf', 'oneOf', 'allOf']) {
    const alternatives = schema[word]
    if (Array.isArray(alternatives)) copy[word] = alternatives.map((each) => mapSchema(each, change, true))
  }
  for (const word of ['items', 'additionalProperties']) {
    const inner = schema[word]
    if (isSchema(inner)) copy[word] = mapSchema(inner, change, isAlternative)
  }
  for (const word of ['properties', 'patternProperties']) {
    if (!isSchema(schema[word])) continue
    const fields = Object.entries(schema[word] as Record<string, Schema>)
    copy[word] = Object.fromEntries(
      fields.map(([name, field]) => [name, mapSchema(field, change, isAlternative)]),
    )
  }
  return change(copy, isAlternative)
}
