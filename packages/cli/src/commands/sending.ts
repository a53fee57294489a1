import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ApiError, ConnectionError, eachOf } from '@tickwright/client'
import { askSecret, confirmChange, inputOf } from '../ask.ts'
import type { Context } from '../context.ts'
import { type Failure, noAnswer, wrongUse } from '../failures.ts'
import { riskOf, riskOfAll, type Trader } from '../risk.ts'
import { strategyNamed, thingNamed } from '../things.ts'

const timeoutMs = 30_000

/**
 * Posts a payload to a data webhook, byte for byte. It goes to the service of the profile, whatever address the URL of
 * the webhook has, and under an idempotency key, so that it can be sent again.
 */
export async function send(
  context: Context,
  name: string,
  options: { data?: string; file?: string; id?: string },
): Promise<void> {
  const { client, url } = await context.connection()
  const hook = await thingNamed(name, 'data webhook', eachOf(client.webhooks.data.list))
  const body = await payloadOf(context, options)
  const key = hook.has_key ? await keyOf(context) : undefined
  await confirmChange(
    context,
    `send ${body.length} bytes to data webhook ${hook.id} (${hook.name})`,
    await riskOfAll(context),
  )
  const id = options.id ?? randomUUID()
  const headers = { 'content-type': 'application/json', 'idempotency-key': id, ...(key && { 'x-key': key }) }
  const target = new URL(new URL(hook.url).pathname, url)
  const accepted = await post(target, body, headers, id)
  context.out.record(accepted, [
    ['delivery', accepted.id],
    ['reactions', accepted.reactions],
    ['duplicate', accepted.duplicate === true ? 'yes: it was sent before, and counts once' : undefined],
  ])
}

export type SignalOptions = {
  size?: number
  dilution?: boolean
  stopLoss?: string
  test?: boolean
  id?: string
}

/** Sends a signal to the bots of a bot webhook. Before it asks, it shows what each of them would do. */
export async function signal(
  context: Context,
  name: string,
  side: string,
  symbol: string,
  options: SignalOptions,
): Promise<void> {
  const { client, isProduction } = await context.connection()
  const hook = await thingNamed(name, 'bot webhook', eachOf(client.webhooks.bot.list))
  const fields = {
    symbol,
    side,
    ...(options.size !== undefined && { size: options.size }),
    ...(options.dilution === true && { dilution: true }),
    ...(options.stopLoss !== undefined && { stop_loss: options.stopLoss }),
  }
  const bots: Trader[] = []
  for await (const bot of eachOf((page) => client.webhooks.bot.bots(hook.id, page))) bots.push(bot)
  const risk = riskOf(bots)
  const tries = async () => client.webhooks.bot.send(hook.id, { ...fields, flag: ['TEST', 'DEBUG'] })
  if (options.test === true) {
    showPlans(context, await tries())
    return
  }
  if (context.options.yes !== true && (isProduction || risk !== undefined))
    showPlans(context, await tries(), true)
  const what = `send ${side} ${symbol} to bot webhook ${hook.id} (${hook.name})`
  await confirmChange(context, what, risk)
  const id = options.id ?? randomUUID()
  const sent = await client.webhooks.bot
    .send(hook.id, { ...fields, idempotency_key: id })
    .catch((error: unknown) => {
      throw error instanceof ConnectionError ? unanswered(error, id) : error
    })
  context.out.record(sent, [
    ['signal', sent.id],
    ['bots', sent.bots],
    ['note', sent.note],
    ['ignored', sent.ignored?.join(', ')],
  ])
}

/** Runs a stored payload again. */
export async function replay(context: Context, id: number): Promise<void> {
  const { deliveries } = await context.client()
  await confirmChange(context, `run the payload of delivery ${id} again`, await riskOfAll(context))
  const replayed = await deliveries.replay(id)
  context.out.record(replayed, [
    ['delivery', replayed.id],
    ['reactions', replayed.reactions],
  ])
}

/** Runs a strategy now. It goes under an idempotency key, so that an answer that is lost makes no second run. */
export async function trigger(context: Context, name: string): Promise<void> {
  const { id, name: found, namespace } = await strategyNamed(context, name)
  if (!('trigger' in namespace))
    throw wrongUse(
      `${found} (${id}) is a reaction: payloads trigger it. Send one with tickwright send, or run a stored one again with tickwright replay.`,
    )
  await confirmChange(context, `run strategy ${id} (${found}) now`, await riskOfAll(context))
  const { run_id } = await namespace.trigger(id)
  context.out.record({ id, run_id }, [
    ['strategy', `${found} (${id})`],
    ['run', run_id],
  ])
}

async function payloadOf(
  { world }: Context,
  { data, file }: { data?: string; file?: string },
): Promise<Buffer> {
  if (data !== undefined && file !== undefined) throw wrongUse('Take either --data or --file.')
  if (data !== undefined) return Buffer.from(data)
  if (file !== undefined && file !== '-') return readGiven(resolve(world.cwd, file), file)
  return Buffer.from(await inputOf(world))
}

async function readGiven(path: string, name: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw wrongUse(code === 'ENOENT' ? `There is no file ${name}.` : `${name} cannot be read: ${message}`)
  }
}

function keyOf({ world }: Context): Promise<string> | string {
  return (
    world.env.TICKWRIGHT_WEBHOOK_KEY ??
    askSecret(world, 'Password of the webhook', 'Set TICKWRIGHT_WEBHOOK_KEY.')
  )
}

function unanswered(cause: unknown, id: string): Failure {
  return noAnswer(cause, `Send it again with --id ${id}, and it counts once.`)
}

type Accepted = { id: number; reactions: number; duplicate?: true }

/** @throws {Failure} without an answer; it says how to send it again without sending it twice */
async function post(
  target: URL,
  body: Buffer,
  headers: Record<string, string>,
  id: string,
): Promise<Accepted> {
  let status: number
  let text: string
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    status = response.status
    text = await response.text()
  } catch (cause) {
    throw unanswered(cause, id)
  }
  const answered = parsed(text)
  if (status === 200 || status === 202) return answered as Accepted
  const { error = `HTTP status ${status}`, code = 'unknown' } = answered as { error?: string; code?: string }
  throw new ApiError({ status, code, message: error })
}

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

type Explained = Awaited<ReturnType<Awaited<ReturnType<Context['client']>>['webhooks']['bot']['send']>>

/** What each bot would do. `asking`: as messages above a question, not as data. */
function showPlans({ out }: Context, { debug }: Explained, asking = false): void {
  const plans = debug?.plans ?? []
  const lines = plans.flatMap(({ bot_id, bot_name, mode, demo, status, reason, orders }) => {
    const bot = `bot ${bot_id} (${bot_name}), ${demo ? `${mode}, demo` : mode}`
    const placed = orders.map(
      ({ purpose, side, size, symbol, price }) => `${purpose}: ${side} ${size} ${symbol} at ${price ?? '?'}`,
    )
    return [`${bot}: ${reason ?? status}`, ...placed.map((order) => `  ${order}`)].map(
      (line) => [line, { bot_id }] as const,
    )
  })
  if (plans.length === 0) out.say('None of your bots would get it.')
  else if (out.json && !asking) for (const plan of plans) out.text('', plan)
  else for (const [line, record] of lines) asking ? out.say(line) : out.text(line, record)
}
