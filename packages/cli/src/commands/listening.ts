import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError, eachOf } from '@tickwright/client'
import { serviceOrigin } from '../address.ts'
import { confirmChange } from '../ask.ts'
import type { Context } from '../context.ts'
import { wrongUse } from '../failures.ts'
import { Cursor } from '../listening/cursor.ts'
import { forward, type Handle, type Received, runLocally } from '../listening/handlers.ts'
import { settingsFolder } from '../profiles/folder.ts'
import { recordsBeyond } from '../records-after.ts'
import { thingNamed } from '../things.ts'
import { timeOf } from './columns.ts'

export type ListenOptions = { to?: string; maxAge?: number; after?: number; once?: boolean }

type Hook = { id: number; name: string; url: string }

/** How long a failed read waits, and how often somebody is told that the connection is still lost. */
const againMs = 5_000
const remindMs = 30_000

/**
 * Follows the deliveries of a data webhook, also those that arrived since the last listener of this machine. It runs each
 * through local files, or posts it to another installation.
 */
export async function listen(
  context: Context,
  name: string,
  code: string | undefined,
  { to = context.world.env.TICKWRIGHT_LISTEN_TO, maxAge = 300, after, once = false }: ListenOptions,
): Promise<void> {
  const { client, url } = await context.connection()
  const hook: Hook = await thingNamed(name, 'data webhook', eachOf(client.webhooks.data.list))
  if (to !== undefined && code !== undefined) throw wrongUse('Name either local code or --to.')
  const handle =
    to === undefined
      ? await runLocally(context, hook, code)
      : await forwarding(context, { hook, to, from: url, maxAgeSeconds: maxAge })
  const me = await client.users.me()
  const cursor = await Cursor.read(settingsFolder(context.world), [url, me.id, hook.id, to ?? ''])
  const begin = after ?? cursor.id ?? (await latestOf(context, hook))
  if (begin !== cursor.id) await cursor.begin(begin)
  const catchUp = async () => {
    await demandKnown(context, hook, cursor)
    await handleMissed(context, hook, cursor, handle)
  }
  if (once) await catchUp()
  else await follow(context, hook, catchUp)
}

async function forwarding(
  context: Context,
  { hook, to, from, maxAgeSeconds }: { hook: Hook; to: string; from: string; maxAgeSeconds: number },
): Promise<Handle> {
  const target = URL.parse(to)
  if (target === null) throw wrongUse('--to must be the URL of a webhook, such as https://…/data-webhook/….')
  serviceOrigin(target.origin)
  if (target.pathname === new URL(hook.url).pathname)
    throw wrongUse('--to is the webhook that is followed: its payloads would never end.')
  await confirmChange(
    context,
    `post each payload of data webhook ${hook.id} (${hook.name}) to ${target.origin}`,
    'What they trigger there may trade real money.',
  )
  const { TICKWRIGHT_WEBHOOK_KEY: key } = context.world.env
  return forward(context, { target, from: new URL(from).host, key, maxAgeSeconds })
}

async function latestOf(context: Context, { id }: Hook): Promise<number> {
  const { webhooks } = await context.client()
  for await (const delivery of eachOf((part) => webhooks.data.deliveries(id, { ...part, limit: 1 })))
    return delivery.id
  return 0
}

/**
 * Goes back to the latest delivery if the service has none as late as the cursor, such as after a restore. Otherwise, a
 * listener would look alive, and handle nothing until then.
 */
async function demandKnown(context: Context, hook: Hook, cursor: Cursor): Promise<void> {
  const latest = await latestOf(context, hook)
  if (cursor.id === undefined || cursor.id <= latest) return
  // Without any delivery, the old ones may only have reached their age.
  if (latest > 0)
    context.out.say(
      `${hook.name} has no delivery ${cursor.id}: its latest is ${latest}. Following what comes after that.`,
    )
  await cursor.begin(latest)
}

/** The list is the only source, so nothing is handled twice or left out. A kill in between repeats the last one. */
async function handleMissed(context: Context, hook: Hook, cursor: Cursor, handle: Handle): Promise<void> {
  const { webhooks, deliveries } = await context.client()
  const list = (part: object) => webhooks.data.deliveries(hook.id, part)
  for (;;) {
    // Handling takes time, so each page begins with another look at what appeared late.
    const page = await firstOf(recordsBeyond(list, cursor.known))
    if (page === undefined) return
    for (const listed of page) {
      const { body } = listed.body === null ? await deliveries.get(listed.id) : listed
      const delivery = { ...listed, body: body ?? '' } satisfies Received
      const { text, record } = await handle(delivery)
      context.out.text(`${timeOf(listed.received_at)} delivery ${listed.id}: ${text}`, {
        received_at: listed.received_at,
        ...record,
      })
      await cursor.add(listed.id)
    }
  }
}

async function firstOf<Item>(pages: AsyncIterable<Item[]>): Promise<Item[] | undefined> {
  for await (const page of pages) if (page.length > 0) return page
  return undefined
}

/** Live events only wake the listener up, so one that is missing or comes twice does no harm. */
async function follow(context: Context, hook: Hook, catchUp: () => Promise<void>): Promise<never> {
  const client = await context.client()
  const connection = new ConnectionState(context)
  const bell = new Bell()
  const ended = new AbortController()
  const streaming = async () => {
    const events = client.live({
      kinds: ['delivery'],
      dataWebhookId: hook.id,
      signal: ended.signal,
      onOpen: () => {
        connection.open()
        bell.ring()
      },
      onLost: () => connection.lose(),
    })
    for await (const _ of events) bell.ring()
    throw new Error('The stream has ended.')
  }
  const working = async (): Promise<never> => {
    for (;;) {
      await bell.rung()
      try {
        await catchUp()
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error
        context.out.say(`The deliveries could not be read: ${error.message}. Trying again …`)
        await sleep(againMs, undefined, { signal: ended.signal })
        bell.ring()
      }
    }
  }
  context.out.say(`Following data webhook ${hook.id} (${hook.name}). End with Ctrl-C.`)
  try {
    return await Promise.race([working(), streaming()])
  } finally {
    ended.abort()
    connection.end()
  }
}

/** Says when the connection is lost, again and again until it is back: silence must not look like calm. */
class ConnectionState {
  readonly #context: Context
  #reminder: NodeJS.Timeout | undefined

  constructor(context: Context) {
    this.#context = context
  }

  lose(): void {
    if (this.#reminder !== undefined) return
    const { out } = this.#context
    const since = timeOf(new Date().toISOString())
    out.say('The connection is lost: nothing is followed until it is back. Connecting again …')
    this.#reminder = setInterval(
      () => out.say(`No connection since ${since} UTC. Connecting again …`),
      remindMs,
    )
  }

  open(): void {
    if (this.#reminder === undefined) return
    this.end()
    this.#context.out.say('Connected again. Deliveries that were missed come now.')
  }

  end(): void {
    clearInterval(this.#reminder)
    this.#reminder = undefined
  }
}

/** Wakes one waiter. A ring while nobody waits counts for the next. */
class Bell {
  #rung = Promise.withResolvers<void>()

  ring(): void {
    this.#rung.resolve()
  }

  async rung(): Promise<void> {
    await this.#rung.promise
    this.#rung = Promise.withResolvers()
  }
}
