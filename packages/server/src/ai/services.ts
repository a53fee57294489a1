/** The API format of a service. */
export type Protocol = 'openai' | 'anthropic' | 'google'

/** A provider of language models. Ids are permanent and never reused. */
export type AiService = {
  id: number
  name: string
  protocol: Protocol
  /** `null`: each connection has its own address. */
  baseUrl: string | null
  needsKey: boolean
  /** Some known models. The provider itself lists more. */
  models: readonly string[]
  /** The source of these facts. */
  source: string
}

/** Addresses come from each service's API reference, models from the named version of a library. */
export const aiServices: readonly AiService[] = [
  {
    ...{ id: 1, name: 'OpenAI', protocol: 'openai', needsKey: true },
    baseUrl: 'https://api.openai.com/v1',
    models: ['gpt-5.5', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.4-nano', 'gpt-5.2', 'gpt-5-mini', 'gpt-4.1'],
    source: 'https://platform.openai.com/docs/api-reference; models: @ai-sdk/gateway, as ai 7.0.173 has it',
  },
  {
    ...{ id: 2, name: 'Anthropic', protocol: 'anthropic', needsKey: true },
    baseUrl: 'https://api.anthropic.com/v1',
    models: [
      ...['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-opus-4-8'],
      ...['claude-sonnet-4-6', 'claude-haiku-4-5'],
    ],
    source: 'https://docs.anthropic.com/en/api; models: @ai-sdk/anthropic 4.0.105',
  },
  {
    ...{ id: 3, name: 'Google', protocol: 'google', needsKey: true },
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    models: [
      ...['gemini-3.8-flash', 'gemini-3.6-flash', 'gemini-3.5-flash-lite', 'gemini-3.1-pro-preview'],
      ...['gemini-2.5-pro', 'gemini-2.5-flash'],
    ],
    source: 'https://ai.google.dev/api; models: @ai-sdk/google 4.0.121',
  },
  {
    ...{ id: 4, name: 'OpenAI-compatible', protocol: 'openai', needsKey: false },
    ...{ baseUrl: null, models: [], source: 'chosen by the connection' },
  },
  compatible(5, 'OpenRouter', 'https://openrouter.ai/api/v1', 'https://openrouter.ai/docs'),
  compatible(6, 'Groq', 'https://api.groq.com/openai/v1', 'https://console.groq.com/docs/openai'),
  compatible(7, 'Mistral', 'https://api.mistral.ai/v1', 'https://docs.mistral.ai/api'),
  compatible(8, 'DeepSeek', 'https://api.deepseek.com/v1', 'https://api-docs.deepseek.com'),
  compatible(9, 'xAI', 'https://api.x.ai/v1', 'https://docs.x.ai/docs/api-reference'),
  {
    ...compatible(10, 'Ollama', 'http://localhost:11434/v1', 'https://docs.ollama.com/openai'),
    needsKey: false,
  },
]

const byId = new Map(aiServices.map((service) => [service.id, service]))

export function findService(id: number): AiService | undefined {
  return byId.get(id)
}

function compatible(id: number, name: string, baseUrl: string, source: string): AiService {
  return { id, name, protocol: 'openai', baseUrl, needsKey: true, models: [], source }
}
