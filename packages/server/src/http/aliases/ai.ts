import type { Aliases } from './alias.ts'
import { messageBeside } from './answers.ts'

/** Connections to providers of language models. */
export const ai: Aliases = {
  operations: {
    'POST /api/llm': { answer: messageBeside },
    'PUT /api/llm/:id/model': { answer: messageBeside },
  },
  paths: {},
}
