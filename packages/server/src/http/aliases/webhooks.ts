import type { Aliases } from './alias.ts'
import { dataBeside, messageBeside, wordOnly } from './answers.ts'

export const webhooks: Aliases = {
  operations: {
    'PUT /webhook/bot/:id': { answer: messageBeside },
    'DELETE /webhook/bot/:id': { answer: wordOnly },
    'DELETE /webhook/bot/share/:id': { ids: ['userId'] },
    'DELETE /webhook/data/share/:id': { ids: ['userId'] },
    'GET /webhook/data/:id/llm-reactions': { answer: dataBeside },
    'GET /webhook/data/:id/code-reactions': { answer: dataBeside },
  },
  paths: {},
}
