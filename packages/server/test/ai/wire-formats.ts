import assert from 'node:assert/strict'

export const protocols = ['openai', 'anthropic', 'google'] as const
export type Protocol = (typeof protocols)[number]

/** What a model says: text, calls, and how it ends. `input` is JSON text, possibly invalid. */
export type Said = {
  text?: string
  calls?: readonly { name: string; input: string }[]
  end?: 'stop' | 'length' | 'refusal'
  /** `null`: the provider does not say. */
  tokens?: { input: number; output: number } | null
}

/** A request to any provider, reduced to what a model reads. */
export type Question = {
  /** Everything that the model reads, including results of tools. */
  text: string
  /** The model's earlier answers. */
  turn: number
  /** Results of tools, newest last. */
  results: string[]
  tools: string[]
  /** Pictures in what it reads, in Base64. */
  pictures: { type: string; data: string }[]
  stream: boolean
  limit: number
}

/** The format of a provider. It reads requests as strictly as the provider does. */
export type WireFormat = {
  serviceId: number
  keyOf(headers: NodeJS.Dict<string | string[]>): string | undefined
  read(url: string, body: Json): Question
  whole(said: Said): unknown
  /** Events of a stream, as sent. */
  stream(said: Said): string[]
  /** An error in this provider's format. */
  error(status: number, message: string): unknown
  models(names: string[]): unknown
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of foreign APIs, read by hand
type Json = any

const counted = ({ tokens = { input: 100, output: 20 } }: Said) => tokens
const idOf = (index: number) => `call_${index}_${Math.random().toString(36).slice(2, 10)}`
/** Two providers send arguments as part of the answer's JSON: there, an invalid text can only be a string. */
function argumentsOf(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
const halves = (text: string) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)]
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

const openai: WireFormat = {
  serviceId: 104,
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(String(authorization))?.[1],
  read: (url, body) => {
    assert.equal(url, '/v1/chat/completions')
    const open = new Set<string>()
    for (const message of body.messages) {
      for (const call of message.tool_calls ?? []) {
        assert.equal(typeof JSON.parse(call.function.arguments), 'object')
        open.add(call.id)
      }
      if (message.role === 'tool') assert.ok(open.delete(message.tool_call_id), 'a result without a call')
    }
    assert.equal(open.size, 0, 'a call without a result')
    const textIn = (content: Json) =>
      typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text).join('')
    const told = body.messages.map((message: Json) => textIn(message.content))
    const parts = body.messages.flatMap(({ content }: Json) => (Array.isArray(content) ? content : []))
    return {
      text: told.join('\n'),
      // https://platform.openai.com/docs/guides/images-vision
      pictures: parts
        .filter((part: Json) => part.type === 'image_url')
        .map((part: Json) => {
          const [, type, data] = /^data:(\w+\/\w+);base64,(.+)$/s.exec(part.image_url.url)!
          return { type, data }
        }),
      turn: body.messages.filter((message: Json) => message.role === 'assistant').length,
      results: body.messages.filter((m: Json) => m.role === 'tool').map((m: Json) => textIn(m.content)),
      tools: (body.tools ?? []).map((tool: Json) => tool.function.name),
      stream: body.stream === true,
      limit: body.max_tokens ?? body.max_completion_tokens,
    }
  },
  whole: (said) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: 'stand-in' },
    choices: [{ index: 0, message: openAiMessage(said), finish_reason: openAiEnd(said) }],
    ...openAiUsage(said),
  }),
  stream: (said) => {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stand-in' }
    const chunk = (delta: unknown, finish: string | null = null) =>
      data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })
    const { content, refusal, tool_calls: calls = [] } = openAiMessage(said)
    return [
      chunk({ role: 'assistant', content: '' }),
      ...halves(content ?? '').map((part) => chunk({ content: part })),
      ...(refusal === undefined ? [] : [chunk({ refusal })]),
      ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
        chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
        ...halves(text).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
      ]),
      chunk({}, openAiEnd(said)),
      ...(counted(said) === null ? [] : [data({ ...head, choices: [], ...openAiUsage(said) })]),
      'data: [DONE]\n\n',
    ]
  },
  error: (status, message) => ({ error: { message, type: 'stand_in_error', param: null, code: status } }),
  models: (names) => ({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }),
}

function openAiMessage({ text, calls = [], end }: Said) {
  return {
    role: 'assistant',
    content: end === 'refusal' ? null : (text ?? null),
    ...(end === 'refusal' && { refusal: text ?? 'I cannot help with that.' }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, input }, index) => ({
        ...{ id: idOf(index), type: 'function', function: { name, arguments: input } },
      })),
    }),
  }
}

function openAiEnd({ calls = [], end }: Said): string {
  return end === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
}

function openAiUsage(said: Said) {
  const tokens = counted(said)
  if (tokens === null) return {}
  const { input, output } = tokens
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } }
}

const anthropic: WireFormat = {
  serviceId: 102,
  keyOf: (headers) => headers['x-api-key']?.toString(),
  read: (url, body) => {
    assert.equal(url, '/v1/messages')
    const blocks = body.messages.flatMap((message: Json) =>
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content,
    )
    const ids = (type: string, field: string) =>
      blocks.filter((block: Json) => block.type === type).map((block: Json) => block[field])
    assert.deepEqual(ids('tool_result', 'tool_use_id'), ids('tool_use', 'id'))
    const textIn = (content: Json): string =>
      typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text).join('')
    const results = blocks.filter((b: Json) => b.type === 'tool_result').map((b: Json) => textIn(b.content))
    const words = blocks.filter((block: Json) => block.type === 'text').map((block: Json) => block.text)
    return {
      text: [textIn(body.system), ...words, ...results].join('\n'),
      // https://docs.anthropic.com/en/docs/build-with-claude/vision
      pictures: blocks
        .filter((block: Json) => block.type === 'image')
        .map(({ source }: Json) => {
          assert.equal(source.type, 'base64')
          return { type: source.media_type, data: source.data }
        }),
      turn: body.messages.filter((message: Json) => message.role === 'assistant').length,
      results,
      tools: (body.tools ?? []).map((tool: Json) => tool.name),
      stream: body.stream === true,
      limit: body.max_tokens,
    }
  },
  whole: (said) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in' },
    content: anthropicBlocks(said),
    ...{ stop_reason: anthropicEnd(said), stop_sequence: null },
    usage: anthropicUsage(said),
  }),
  stream: (said) => {
    const event = (type: string, fields: object) => `event: ${type}\n${data({ type, ...fields })}`
    const { input_tokens, output_tokens } = anthropicUsage(said)
    const message = {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens, output_tokens: 1 } },
    }
    const delta = (index: number, fields: object) => event('content_block_delta', { index, delta: fields })
    return [
      event('message_start', { message }),
      event('ping', {}),
      ...anthropicBlocks(said).flatMap((block, index) => [
        ...(block.type === 'text'
          ? [
              event('content_block_start', { index, content_block: { type: 'text', text: '' } }),
              ...halves(block.text).map((text) => delta(index, { type: 'text_delta', text })),
            ]
          : [
              event('content_block_start', { index, content_block: { ...block, input: {}, raw: undefined } }),
              ...halves(block.raw).map((partial_json) =>
                delta(index, { type: 'input_json_delta', partial_json }),
              ),
            ]),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', {
        delta: { stop_reason: anthropicEnd(said), stop_sequence: null },
        usage: { output_tokens },
      }),
      event('message_stop', {}),
    ]
  },
  error: (_status, message) => ({ type: 'error', error: { type: 'stand_in_error', message } }),
  models: (names) => ({
    data: names.map((id) => ({ type: 'model', id, display_name: id })),
    has_more: false,
  }),
}

type AnthropicBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown; raw: string }

function anthropicBlocks({ text = '', calls = [] }: Said): AnthropicBlock[] {
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ name, input }, index) => {
      const block = {
        type: 'tool_use' as const,
        id: idOf(index),
        name,
        input: argumentsOf(input),
        raw: input,
      }
      return Object.defineProperty(block, 'raw', { enumerable: false, value: input })
    }),
  ]
}

function anthropicEnd({ calls = [], end }: Said): string {
  if (end === 'length') return 'max_tokens'
  if (end === 'refusal') return 'refusal'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function anthropicUsage(said: Said) {
  const tokens = counted(said)
  return { input_tokens: tokens?.input ?? 0, output_tokens: tokens?.output ?? 0 }
}

const google: WireFormat = {
  serviceId: 103,
  keyOf: (headers) => headers['x-goog-api-key']?.toString(),
  read: (url, body) => {
    const [, stream] = /^\/v1\/models\/stand-in:(streamGenerateContent\?alt=sse|generateContent)$/.exec(url)!
    const parts = body.contents.flatMap((content: Json) => content.parts)
    const results = parts
      .filter((part: Json) => part.functionResponse !== undefined)
      .map((part: Json) => JSON.stringify(part.functionResponse.response))
    const called = parts.filter((part: Json) => part.functionCall !== undefined).length
    assert.equal(results.length, called, 'calls and results differ')
    const words = [...(body.systemInstruction?.parts ?? []), ...parts].map((part: Json) => part.text ?? '')
    return {
      text: [...words, ...results].join('\n'),
      // https://ai.google.dev/gemini-api/docs/image-understanding
      pictures: parts
        .filter((part: Json) => part.inlineData !== undefined)
        .map(({ inlineData }: Json) => ({ type: inlineData.mimeType, data: inlineData.data })),
      turn: body.contents.filter((content: Json) => content.role === 'model').length,
      results,
      tools: (body.tools?.functionDeclarations ?? body.tools?.[0]?.functionDeclarations ?? []).map(
        (tool: Json) => tool.name,
      ),
      stream: stream !== 'generateContent',
      limit: body.generationConfig.maxOutputTokens,
    }
  },
  whole: (said) =>
    said.end === 'refusal' && said.text === undefined
      ? { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...googleUsage(said) }
      : { candidates: [googleCandidate(said, googleParts(said), googleEnd(said))], ...googleUsage(said) },
  stream: (said) => {
    if (said.end === 'refusal' && said.text === undefined) return [data(google.whole(said))]
    return [
      ...googleParts(said).map((part) => data({ candidates: [googleCandidate(said, [part])] })),
      data({ candidates: [googleCandidate(said, [{ text: '' }], googleEnd(said))], ...googleUsage(said) }),
    ]
  },
  error: (code, message) => ({ error: { code, message, status: 'STAND_IN' } }),
  models: (names) => ({
    models: [
      ...names.map((name) => ({
        name: `models/${name}`,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      })),
      { name: 'models/embedding', supportedGenerationMethods: ['embedContent'] },
    ],
  }),
}

function googleParts({ text = '', calls = [] }: Said): unknown[] {
  return [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: argumentsOf(input) } })),
  ]
}

function googleCandidate(_said: Said, parts: unknown[], finishReason?: string) {
  return { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }
}

function googleEnd({ end }: Said): string {
  return end === 'length' ? 'MAX_TOKENS' : end === 'refusal' ? 'SAFETY' : 'STOP'
}

function googleUsage(said: Said) {
  const tokens = counted(said)
  if (tokens === null) return {}
  const { input, output } = tokens
  return {
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  }
}

export const wireFormats: Record<Protocol, WireFormat> = { openai, anthropic, google }
