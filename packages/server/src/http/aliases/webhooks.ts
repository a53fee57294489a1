import type { Aliases } from './alias.ts'
import { messageBeside } from './answers.ts'

export const webhooks: Aliases = {
  operations: {
    'PUT /webhook/bot/:id': { answer: messageBeside },
    'DELETE /webhook/bot/share/:id': { ids: ['userId'] },
    'DELETE /webhook/data/share/:id': { ids: ['userId'] },
  },
  paths: {},
}
