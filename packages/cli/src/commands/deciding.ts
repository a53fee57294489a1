import { ApiError, eachOf } from '@tickwright/client'
import { confirmChange } from '../ask.ts'
import type { Context } from '../context.ts'
import { exitCodes, Failure, wrongUse } from '../failures.ts'
import { isReal, riskOfAll } from '../risk.ts'
import { botNamed } from '../things.ts'

/** Lets an action or a change of a model take effect. */
export async function approve(context: Context, id: number): Promise<void> {
  const { approvals } = await context.client()
  const approval = await approvals.get(id)
  await confirmChange(context, `approve ${whatOf(approval)}`, await riskOfAll(context))
  tellDecision(context, await approvals.approve(id))
}

export async function reject(context: Context, id: number): Promise<void> {
  const { approvals } = await context.client()
  await confirmChange(context, `reject ${whatOf(await approvals.get(id))}`)
  tellDecision(context, await approvals.reject(id))
}

/** Closes one position of a bot, or with `all` each of them. Never all of them without that word. */
export async function close(
  context: Context,
  name: string,
  symbol: string | undefined,
  { all }: { all?: boolean },
): Promise<void> {
  if ((symbol === undefined) === (all !== true)) throw wrongUse('Name either a symbol or --all.')
  const { bots, positions } = await context.client()
  const bot = await botNamed(context, name)
  const open: string[] = []
  for await (const { symbol, side, size } of eachOf((page) => positions.list({ ...page, bot_id: bot.id }))) {
    open.push(`${side} ${size} ${symbol}`)
  }
  const what = `${symbol ?? 'all positions'} of bot ${bot.id} (${bot.name})`
  const risk = isReal(bot) ? `It is live, and has open: ${open.join(', ') || 'nothing'}.` : undefined
  await confirmChange(context, `close ${what}`, risk)
  const { signals } = await bots.signal.close(bot.id, symbol === undefined ? {} : { symbol })
  context.out.rows(
    [
      { title: 'signal', value: (row) => row.signal_id, isNumber: true },
      { title: 'symbol', value: (row) => row.symbol },
      { title: 'result', value: (row) => row.status },
    ],
    signals,
    'There was nothing to close.',
  )
}

/** Halts the whole installation at once, for administrators. */
export async function halt(
  context: Context,
  { openings, reason }: { openings?: boolean; reason?: string },
): Promise<void> {
  const { trading } = await context.client()
  await confirmChange(context, openings === true ? 'halt all openings' : 'halt all trading')
  const halted = openings === true ? 'openings' : true
  const changed = await trading
    .update({ halted, ...(reason !== undefined && { reason }) })
    .catch((error: unknown) => {
      throw adminOnly(error, 'To stop your own bots: tickwright off bot --all')
    })
  tellSwitch(context, changed)
  const watched = changed.halt?.watched_total ?? 0
  if (watched > 0) {
    context.out.say(
      `${watched} of your positions are watched by the service, so their stops and targets do not act meanwhile. With --openings, closes go on.`,
    )
  }
}

/** Ends a halt, for administrators. */
export async function resume(context: Context): Promise<void> {
  const { trading } = await context.client()
  await confirmChange(context, 'end the halt, so that bots trade again', await riskOfAll(context))
  const changed = await trading.update({ halted: false }).catch((error: unknown) => {
    throw adminOnly(error, 'Ask one.')
  })
  tellSwitch(context, changed)
}

type Approval = {
  id: number
  strategy_name: string
  kind: string
  action: string | null
  symbols: readonly string[]
  change: { strategy_name: string; version: number; status: string | null } | null
  status: string
}

function whatOf({ id, strategy_name, kind, action, symbols, change }: Approval): string {
  const by = `that ${strategy_name} asks for (approval ${id})`
  if (kind === 'action') return `${action} ${symbols.join(' ')} ${by}`
  const what = kind === 'status' ? `the status ${change?.status}` : `version ${change?.version} of the code`
  return `${what} of ${change?.strategy_name} ${by}`
}

function tellDecision({ out }: Context, approval: Approval & { signal_id: number | null }): void {
  out.record(approval, [
    ['approval', approval.id],
    ['status', approval.status],
    ['signal', approval.signal_id],
  ])
}

function tellSwitch({ out }: Context, state: { halted: boolean | 'openings'; live_trading: boolean }): void {
  out.record(state, [
    ['halted', state.halted === false ? 'no' : state.halted === true ? 'everything' : 'openings'],
    ['live trading', state.live_trading ? 'on' : 'off'],
  ])
}

function adminOnly(error: unknown, instead: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 403) return error
  return new Failure(`${error.message} ${instead}`, exitCodes.notAllowed)
}
