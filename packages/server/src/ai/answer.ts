import type { createAnthropic } from '@ai-sdk/anthropic'
import { ProviderFailure } from './provider-failure.ts'

/** The interface of a model, which the libraries of all providers share. */
export type Model = ReturnType<ReturnType<typeof createAnthropic>>
export type ModelOptions = Parameters<Model['doGenerate']>[0]
export type Message = ModelOptions['prompt'][number]
type Said = Pick<Awaited<ReturnType<Model['doGenerate']>>, 'content' | 'finishReason' | 'usage'>
type Content = Said['content'][number]
type StreamPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

/** A tool call of the model. `input` is the text that the model wrote, which should be JSON. */
export type ToolCall = { id: string; name: string; input: string }

export type Tokens = { input: number; output: number }

export type Answer = {
  text: string
  calls: ToolCall[]
  finish: Said['finishReason']['unified']
  /** `null` if the provider does not report them, or reports nonsense. */
  tokens: Tokens | null
  /** The answer as the next question repeats it, with the metadata that the provider needs. */
  message: Message
}

/** A provider rejects a conversation with any other name of a tool. */
const toolName = /^[\w-]{1,64}$/

export async function askWhole(model: Model, options: ModelOptions): Promise<Answer> {
  return answerOf(await model.doGenerate(options))
}

/** @throws {ProviderFailure} if the stream reports an error or is incomplete */
export async function askInStream(model: Model, options: ModelOptions): Promise<Answer> {
  const { stream } = await model.doStream(options)
  const gathered = new Gathered()
  for await (const part of stream) gathered.add(part)
  return answerOf(gathered.end())
}

/** Assembles the parts of a stream. */
class Gathered {
  #content: Content[] = []
  #open = new Map<string, { type: 'text' | 'reasoning'; text: string }>()
  #end: Pick<Said, 'finishReason' | 'usage'> | undefined

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id)
        break
      case 'text-delta':
      case 'reasoning-delta':
        this.#append(part.id, part.delta, part.providerMetadata)
        break
      case 'reasoning-end':
        this.#append(part.id, '', part.providerMetadata)
        break
      case 'tool-call':
        this.#content.push(part)
        break
      case 'error':
        throw streamFailure(part.error)
      case 'finish':
        this.#end = { finishReason: part.finishReason, usage: part.usage }
    }
  }

  end(): Said {
    if (this.#end === undefined)
      throw new ProviderFailure('malformed', 'The stream ended before the answer was complete.')
    return { content: this.#content, ...this.#end }
  }

  #begin(type: 'text' | 'reasoning', id: string): void {
    const part = { type, text: '' }
    this.#open.set(id, part)
    this.#content.push(part)
  }

  #append(id: string, delta: string, metadata: Content['providerMetadata']): void {
    const part = this.#open.get(id)
    if (part === undefined) return
    part.text += delta
    if (metadata !== undefined) Object.assign(part, { providerMetadata: metadata })
  }
}

function answerOf({ content, finishReason, usage }: Said): Answer {
  // The service did not offer the tools that the provider executes itself.
  const own = content.filter((part) => part.type !== 'tool-call' || part.providerExecuted !== true)
  const calls = own.filter((part) => part.type === 'tool-call')
  return {
    text: own
      .filter((part) => part.type === 'text')
      .map(({ text }) => text)
      .join(''),
    calls: calls.map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input })),
    finish: finishReason.unified,
    tokens: tokensOf(usage),
    message: { role: 'assistant', content: own.flatMap(replay) },
  }
}

function replay(part: Content): Extract<Message, { role: 'assistant' }>['content'] {
  const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined
  const kept = metadata === undefined ? {} : { providerOptions: metadata }
  if (part.type === 'text' || part.type === 'reasoning')
    return [{ type: part.type, text: part.text, ...kept }]
  if (part.type !== 'tool-call') return []
  const name = toolName.test(part.toolName) ? part.toolName : 'unknown_tool'
  const { type, toolCallId } = part
  return [{ type, toolCallId, toolName: name, input: objectIn(part.input), ...kept }]
}

/** Providers accept only objects here, whatever their models wrote. */
function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

function tokensOf({ inputTokens, outputTokens }: Said['usage']): Tokens | null {
  const tokens = { input: inputTokens.total, output: outputTokens.total }
  return isCount(tokens.input) && isCount(tokens.output) && tokens.input > 0
    ? { input: tokens.input, output: tokens.output }
    : null
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && value! >= 0 && value! <= 1e9
}

/** An error that the provider reports arrives as plain data; a part that the library cannot read, as an Error. */
function streamFailure(error: unknown): ProviderFailure {
  if (error instanceof Error) {
    return new ProviderFailure('malformed', 'The stream of the provider could not be read.', { cause: error })
  }
  const said = (error as { message?: unknown } | null)?.message ?? error
  const words = typeof said === 'string' ? said : 'no message was given.'
  return new ProviderFailure('provider_error', `The provider reported an error in the stream: ${words}`)
}
