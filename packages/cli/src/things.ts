import { eachOf } from '@tickwright/client'
import type { Context } from './context.ts'
import { wrongUse } from './failures.ts'

/** What a command can name: a bot, a strategy of any type, or a webhook. */
export type Thing = { id: number; name: string }

/**
 * The one of these things that a text names: by its id, or by its exact name.
 * @param kind for the message, such as 'bot'
 * @throws {Failure} if none or several have this name
 */
export async function thingNamed<Found extends Thing>(
  text: string,
  kind: string,
  all: AsyncIterable<Found>,
): Promise<Found> {
  const matching: Found[] = []
  for await (const thing of all) {
    if (String(thing.id) === text || thing.name === text) matching.push(thing)
  }
  const [found, another] = matching
  if (found === undefined) throw wrongUse(`You have no ${kind} with the id or the name '${text}'.`)
  if (another === undefined) return found
  const ids = matching.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw wrongUse(`'${text}' could be any of these: ${kind} ${ids}. Name it by an id that is no other's name.`)
}

/** The bot that a text names. */
export async function botNamed(context: Context, text: string) {
  const { bots } = await context.client()
  return thingNamed(text, 'bot', eachOf(bots.signal.list))
}

export async function botId(context: Context, text: string): Promise<number> {
  return (await botNamed(context, text)).id
}

/** The strategy that a text names, of any type, with the operations of its type. */
export async function strategyNamed(context: Context, text: string) {
  const { strategies, reactions } = await context.client()
  const namespaces = [strategies.code, strategies.llmSessions, reactions.code, reactions.llm] as const
  async function* all() {
    for (const namespace of namespaces) {
      for await (const { id, name } of eachOf<Thing>(namespace.list)) yield { id, name, namespace }
    }
  }
  return thingNamed(text, 'strategy', all())
}
