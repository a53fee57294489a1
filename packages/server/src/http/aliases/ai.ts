import { type Aliases, type OtherNames, Untranslatable } from './alias.ts'
import { messageBeside, wordOnly } from './answers.ts'
import { renamed } from './names.ts'

/** The providers that the hosted service has, by its ids, and our ids of them. */
const theirServices: Record<string, { name: string; id: number }> = {
  1: { name: 'Gemini', id: 103 },
  2: { name: 'OpenAI', id: 101 },
  3: { name: 'DeepSeek', id: 108 },
  4: { name: 'Claude', id: 102 },
  5: { name: 'Mistral', id: 107 },
  7: { name: 'Grok', id: 109 },
  15: { name: 'OpenRouter', id: 105 },
  17: { name: 'Groq', id: 106 },
}
/** Smaller ids are theirs. */
const leastOfOurs = 100

const known = Object.entries(theirServices)
  .map(([id, { name }]) => `${id} (${name})`)
  .join(', ')

/** A key must never reach another provider than the one that was meant, so an id that nobody knows is refused. */
const serviceId: OtherNames = {
  names: { serviceId: undefined },
  means: 'service_id',
  read: ({ serviceId: id }) => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id >= leastOfOurs) return { service_id: id }
    const service = theirServices[id]
    if (service === undefined) {
      throw new Untranslatable('serviceId', `must be one of ${known}, or an id of /api/v2/api/llm/services`)
    }
    return { service_id: service.id }
  },
}

/** Before ids moved to 101 and above, ours were 1 to 10. */
function formerId(id: unknown): unknown {
  return typeof id === 'number' && Number.isInteger(id) && id >= 1 && id <= 10 ? id + 100 : id
}

/** Connections to providers of language models. */
export const ai: Aliases = {
  operations: {
    'POST /api/llm': {
      body: [serviceId, renamed('modelId', 'model'), renamed('apiKey', 'api_key')],
      formerValues: { service_id: formerId },
      answer: messageBeside,
    },
    'GET /api/llm/models/:id': {
      formerPlaces: {
        // Only our own clients name a connection.
        id: (text, { query }) =>
          Object.hasOwn(query as object, 'connection_id')
            ? text.replace(/^(?:[1-9]|10)$/, (id) => String(formerId(Number(id))))
            : String(theirServices[text]?.id ?? text),
      },
    },
    'DELETE /api/llm/:id': { answer: wordOnly },
    'PUT /api/llm/:id/model': { body: [renamed('modelId', 'model')], answer: messageBeside },
  },
  paths: {},
}
