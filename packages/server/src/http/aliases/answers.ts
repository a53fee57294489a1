/** The usual ways in which an answer changes. */
import type { Schema } from '../walk-schema.ts'
import type { AnswerChange } from './alias.ts'

/** Has a list answer a page. */
export const wholePage = { page: 1, limit: 200 }

/** Adds `data` to a page of a list: its items again. */
export const dataBeside: AnswerChange = {
  describe: (schema) => ({ ...schema, anyOf: (schema.anyOf as Schema[]).map(describePage) }),
  change: (answer) => ('items' in answer ? { ...answer, data: answer.items } : answer),
}

function describePage(schema: Schema): Schema {
  const properties = schema.properties as Record<string, Schema> | undefined
  if (properties === undefined) return schema
  const data = { ...properties.items, deprecated: true, description: 'The same as `items`.' }
  return { ...schema, properties: { ...properties, data } }
}

/** Answers the word of a success as a text. */
export const wordOnly: AnswerChange = {
  describe: () => ({ type: 'string', description: 'Always `Success`.' }),
  change: () => 'Success',
}

/** Answers `true`. */
export const trueOnly: AnswerChange = {
  describe: () => ({ type: 'boolean', description: 'Always `true`: otherwise, the answer is an error.' }),
  change: () => true,
}

/** Adds `message` to the record that a change answers. */
export const messageBeside: AnswerChange = {
  describe: (schema) => ({
    ...schema,
    required: [...((schema.required as string[]) ?? []), 'message'],
    properties: {
      ...(schema.properties as object),
      message: { const: 'Success', type: 'string', deprecated: true, description: 'Always the same.' },
    },
  }),
  change: (answer) => ({ ...answer, message: 'Success' }),
}
