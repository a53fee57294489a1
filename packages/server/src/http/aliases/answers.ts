/** The usual ways in which an answer changes. */
import type { AnswerChange } from './alias.ts'

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
