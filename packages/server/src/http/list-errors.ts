import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'

/** The most problems that an answer lists. */
export const mostErrors = 20

type Schema = {
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
} & Record<string, unknown>

/**
 * Lists what is wrong with a value that a schema has refused: the first error of each known field, and unknown fields.
 * So the size of the schema bounds the work, and not the number of errors in the value. ajv's own `allErrors` has no
 * such bound: it visits every item of a list, even if the list is too long.
 */
export class ErrorLister {
  /** Stops at the first error. */
  #ajv: Ajv
  #compiled = new WeakMap<Schema, ValidateFunction>()
  #shallow = new WeakMap<Schema, Schema>()

  constructor(ajv: Ajv) {
    this.#ajv = ajv
  }

  list(schema: object, value: unknown): ErrorObject[] {
    const found: ErrorObject[] = []
    this.#collect(schema as Schema, value, '', found)
    return found.slice(0, mostErrors)
  }

  #collect(schema: Schema, value: unknown, path: string, found: ErrorObject[]): void {
    const { properties, required = [] } = schema
    if (properties === undefined || !isRecord(value)) {
      this.#check(schema, value, path, found)
      return
    }
    this.#check(this.#withoutFields(schema), value, path, found)
    if (schema.additionalProperties === false) listUnknown(schema, value, path, found)
    for (const name of required) {
      if (!Object.hasOwn(value, name)) found.push(missing(name, path))
    }
    for (const [name, field] of Object.entries(properties)) {
      if (found.length >= mostErrors) return
      if (Object.hasOwn(value, name)) this.#collect(field, value[name], `${path}/${name}`, found)
    }
  }

  /** The few errors of one place: one for each of its alternatives, or the first one. */
  #check(schema: Schema, value: unknown, path: string, found: ErrorObject[]): void {
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(schema)
    this.#compiled.set(schema, validate)
    if (validate(value)) return
    for (const error of validate.errors ?? []) {
      found.push({ ...error, instancePath: path + error.instancePath })
    }
  }

  /** What a schema says about an object besides its fields, such as how many there may be. */
  #withoutFields(schema: Schema): Schema {
    const known = this.#shallow.get(schema)
    if (known !== undefined) return known
    const { properties = {}, required: _, additionalProperties, ...own } = schema
    const anything = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))
    // Unknown fields of a closed object are listed one by one.
    const others = additionalProperties === false ? true : (additionalProperties ?? true)
    const shallow = { ...own, properties: anything, additionalProperties: others }
    this.#shallow.set(schema, shallow)
    return shallow
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Stops once there are enough errors, so that the sender's fields do not decide how much work this is. */
function listUnknown(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  found: ErrorObject[],
): void {
  for (const name in value) {
    if (found.length >= mostErrors) return
    if (!Object.hasOwn(schema.properties!, name)) found.push(unknown(name, schema, path))
  }
}

function unknown(name: string, schema: Schema, path: string): ErrorObject {
  return {
    keyword: 'additionalProperties',
    instancePath: path,
    schemaPath: '#/additionalProperties',
    params: { additionalProperty: name },
    message: 'is unknown',
    parentSchema: schema,
  }
}

function missing(name: string, path: string): ErrorObject {
  return {
    keyword: 'required',
    instancePath: path,
    schemaPath: '#/required',
    params: { missingProperty: name },
    message: 'is required',
  }
}
