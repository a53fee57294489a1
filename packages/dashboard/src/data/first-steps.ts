import type { List } from '@tickwright/client'
import { client } from './client.ts'
import { isOfExample } from './example.ts'

/** Whether the user has no strategy or reaction of their own yet. */
export async function isBeginner(): Promise<boolean> {
  // The example has at most one of each kind, so a third one is the user's own.
  const few = { limit: 3 }
  const lists = await Promise.all<List<{ name: string }>>([
    client.strategies.code.list(few),
    client.reactions.code.list(few),
    client.reactions.llm.list(few),
    client.strategies.llmSessions.list(few),
  ])
  return lists.flatMap((list) => (Array.isArray(list) ? list : list.items)).every(isOfExample)
}
