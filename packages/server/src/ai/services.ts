/** The API format of a service. */
export type Protocol = 'openai' | 'anthropic' | 'google'

/**
 * A provider of language models. Ids are permanent and never reused. They begin at 101, because scripts from the hosted
 * service mean other providers by small ids.
 */
export type AiService = {
  id: number
  name: string
  protocol: Protocol
  /** `null`: each connection has its own address. */
  baseUrl: string | null
  needsKey: boolean
  /** Some known models. The provider itself lists more. */
  models: readonly string[]
}

/** Addresses come from the API reference that is named with each service, models from the named version of a library. */
export const aiServices: readonly AiService[] = [
  {
    // https://platform.openai.com/docs/api-reference; models: @ai-sdk/gateway, as ai 7.0.173 has it
    ...{ id: 101, name: 'OpenAI', protocol: 'openai', needsKey: true },
    baseUrl: 'https://api.openai.com/v1',
    models: ['gpt-5.5', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.4-nano', 'gpt-5.2', 'gpt-5-mini', 'gpt-4.1'],
  },
  {
    // https://docs.anthropic.com/en/api; models: @ai-sdk/anthropic 4.0.105
    ...{ id: 102, name: 'Anthropic', protocol: 'anthropic', needsKey: true },
    baseUrl: 'https://api.anthropic.com/v1',
    models: [
      ...['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-opus-4-8'],
      ...['claude-sonnet-4-6', 'claude-haiku-4-5'],
    ],
  },
  {
    // https://ai.google.dev/api; models: @ai-sdk/google 4.0.121
    ...{ id: 103, name: 'Google', protocol: 'google', needsKey: true },
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    models: [
      ...['gemini-3.8-flash', 'gemini-3.6-flash', 'gemini-3.5-flash-lite', 'gemini-3.1-pro-preview'],
      ...['gemini-2.5-pro', 'gemini-2.5-flash'],
    ],
  },
  // Each connection chooses the server.
  { id: 104, name: 'OpenAI-compatible', protocol: 'openai', baseUrl: null, needsKey: false, models: [] },
  // https://openrouter.ai/docs
  compatible(105, 'OpenRouter', 'https://openrouter.ai/api/v1'),
  // https://console.groq.com/docs/openai
  compatible(106, 'Groq', 'https://api.groq.com/openai/v1'),
  // https://docs.mistral.ai/api
  compatible(107, 'Mistral', 'https://api.mistral.ai/v1'),
  // https://api-docs.deepseek.com
  compatible(108, 'DeepSeek', 'https://api.deepseek.com/v1'),
  // https://docs.x.ai/docs/api-reference
  compatible(109, 'xAI', 'https://api.x.ai/v1'),
  // https://docs.ollama.com/openai
  { ...compatible(110, 'Ollama', 'http://localhost:11434/v1'), needsKey: false },
]

const byId = new Map(aiServices.map((service) => [service.id, service]))

export function findService(id: number): AiService | undefined {
  return byId.get(id)
}

function compatible(id: number, name: string, baseUrl: string): AiService {
  return { id, name, protocol: 'openai', baseUrl, needsKey: true, models: [] }
}
