import { eachOf } from '@tickwright/client'
import { confirmChange } from '../ask.ts'
import type { switchable } from '../choices.ts'
import type { Context } from '../context.ts'
import { Failure, wrongUse } from '../failures.ts'
import { isReal, riskOfAll } from '../risk.ts'
import { botNamed, strategyNamed, thingNamed } from '../things.ts'

type Kind = (typeof switchable)[number]
type Status = 'ACTIVE' | 'INACTIVE'

/** A thing that can be switched. */
type Switch = {
  id: number
  name: string
  /** Why to ask before it is switched on. */
  risk: string | undefined
  set(status: Status): Promise<{ message: string; note?: string | undefined }>
}

export async function on(context: Context, kind: Kind, name: string): Promise<void> {
  const thing = await switchNamed(context, kind, name)
  await confirmChange(context, `switch on ${label(kind, thing)}`, thing.risk)
  await set(context, kind, thing, 'ACTIVE')
}

/** Switches one thing off, or with `all` each bot of the account. */
export async function off(
  context: Context,
  kind: Kind,
  name: string | undefined,
  { all }: { all?: boolean },
): Promise<void> {
  if (all === true) {
    if (kind !== 'bot' || name !== undefined)
      throw wrongUse('Only bots can all be switched off: tickwright off bot --all')
    return allBotsOff(context)
  }
  if (name === undefined) throw wrongUse(`Name the ${kind}: tickwright off ${kind} NAME`)
  const thing = await switchNamed(context, kind, name)
  await confirmChange(context, `switch off ${label(kind, thing)}`)
  await set(context, kind, thing, 'INACTIVE')
  if (kind === 'bot') await tellHowToClose(context, [thing.id])
}

/** One refusal keeps no other bot on. */
async function allBotsOff(context: Context): Promise<void> {
  const { bots } = await context.client()
  await confirmChange(context, 'switch off all your bots')
  const failures: string[] = []
  const switched: number[] = []
  for await (const bot of eachOf(bots.signal.list)) {
    if (bot.status === 'INACTIVE') continue
    const thing = {
      ...bot,
      risk: undefined,
      set: (status: Status) => bots.signal.setStatus(bot.id, { status }),
    }
    try {
      await set(context, 'bot', thing, 'INACTIVE')
      switched.push(bot.id)
    } catch (error) {
      failures.push(`${label('bot', bot)}: ${(error as Error).message}`)
    }
  }
  if (switched.length === 0 && failures.length === 0) context.out.say('All your bots were off.')
  await tellHowToClose(context, switched)
  if (failures.length > 0) throw new Failure(`Still on: ${failures.join(' ')}`)
}

async function set({ out }: Context, kind: Kind, thing: Switch, status: Status): Promise<void> {
  const { note } = await thing.set(status)
  const { id, name } = thing
  out.record({ kind, id, name, status }, [
    [`${kind} ${id}`, `${name} is ${status === 'ACTIVE' ? 'on' : 'off'}`],
  ])
  if (note !== undefined) out.say(note)
}

async function switchNamed(context: Context, kind: Kind, name: string): Promise<Switch> {
  const client = await context.client()
  if (kind === 'bot') {
    const bot = await botNamed(context, name)
    const risk = isReal(bot) ? 'It is live: it trades real money.' : undefined
    return { ...bot, risk, set: (status) => client.bots.signal.setStatus(bot.id, { status }) }
  }
  // What a strategy or a webhook triggers may end in any bot.
  const risk = await riskOfAll(context)
  if (kind === 'strategy') {
    const { id, name: found, namespace } = await strategyNamed(context, name)
    return { id, name: found, risk, set: (status) => namespace.setStatus(id, { status }) }
  }
  const namespace = kind === 'webhook' ? client.webhooks.data : client.webhooks.bot
  const hook = await thingNamed(name, kind, eachOf<{ id: number; name: string }>(namespace.list))
  return { ...hook, risk, set: (status) => namespace.setStatus(hook.id, { status }) }
}

/** Off is not flat, although somebody who switches a bot off may think so. The service has said what it still holds. */
async function tellHowToClose(context: Context, bots: readonly number[]): Promise<void> {
  if (bots.length === 0) return
  const { positions } = await context.client()
  for await (const { bot_id } of eachOf(positions.list)) {
    if (bots.includes(bot_id)) return context.out.say('To close positions: tickwright close BOT --all')
  }
}

function label(kind: Kind, { id, name }: { id: number; name: string }): string {
  return `${kind} ${id} (${name})`
}
