import type { Aliases } from './alias.ts'
import { messageBeside } from './answers.ts'

export const bots: Aliases = {
  operations: {
    'PUT /bot/signal/cex/:id': { answer: messageBeside },
  },
  paths: {},
}
